/** `latchkey keys import` and `export`: a file in, a report for each line, and everything but secrets out. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { maxUsageDays } from '../../src/domain/usage-periods.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { listen, startGateway, stopListening } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, callerOf, importing, rest, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const directory = temporaryDirectory().path;
const gateway = inTests(() => startGateway('sqlite'));

const run = (
  team: string,
  args: readonly string[],
  { input = '', url = gateway.running.url, permissions = importing } = {},
) => {
  const environment = { LATCHKEY_URL: url, LATCHKEY_TOKEN: sessionToken({ [team]: permissions }) };
  return runCommand([...args, '--team', team], environment, input);
};

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

/** The verdicts that are counted for keys. */
const countedCodes = verdictCodes.filter((code) => code !== 'MALFORMED' && code !== 'NOT_FOUND');
const foreignSecret = () => `sk-${randomBytes(24).toString('base64')}`;
const sha256 = (secret: string) => createHash('sha256').update(secret).digest('hex');
const codeOf = async (key: string, more: object = {}) =>
  (await rest(gateway.url, null, 'POST', '/v1/verify', { key, ...more })).body.code;
const ndjson = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join('\n');
const reportIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

it('NDJSON: valid lines are imported and their keys work; the others are reported by line and field, without their content', async () => {
  const team = randomUUID();
  const [one, two] = [foreignSecret(), foreignSecret()];
  const path = file(
    'keys.ndjson',
    `\ufeff${ndjson([
      { digest: sha256(one), name: 'One', env: 'live' },
      { digest: 'hush-hush', name: '', env: 'live' },
    ])}\nhush-hush\n\n["hush"]\n${ndjson([
      { digest: sha256(two), name: 'Two', hush: 1 },
      { digest: sha256(two), name: 'Two' },
    ])}\n{"digest":"hush","digest":"hush-hush","name":"Twice"}\n{"name":"Number","metadata":{"id":750727362669608961}}`,
  );
  const { stdout, stderr, exitCode } = await run(team, ['keys', 'import', path, '--env', 'test']);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^line 2: digest: must be .*; name: must have 1 to 100 characters/),
    'line 3: must be JSON',
    'line 5: must be a JSON object',
    'line 6: hush: is not a known field',
    'line 8: must have digest once',
    'line 9: must have metadata.id as text, in quotation marks: as a number, it would be changed',
    '',
  ]);
  expect(stderr).toBe('2 imported, 0 existed already, 6 rejected\nREJECTED: 6 lines were rejected\n');
  expect(exitCode).toBe(1);
  expect([await codeOf(one, { env: 'live' }), await codeOf(two, { env: 'test' })]).toEqual(['VALID', 'VALID']);
});

it('CSV: columns by name, several sources in a cell, empty cells as if they were not there', async () => {
  const team = randomUUID();
  const [one, two] = [foreignSecret(), foreignSecret()];
  const csv = [
    '\ufeffname,digest,env,allowedIps,expiresAt,prefix',
    `"One, and only",${sha256(one)},live,10.0.0.1; 192.168.0.0/16 # office,2099-01-01T00:00:00Z,sk_live_${randomBytes(4).toString('hex')}`,
    `Two,sha256:${sha256(two)},test,,,`,
    'Three,only two',
  ].join('\r\n');
  const { stdout, stderr, exitCode } = await run(team, ['keys', 'import', '-', '--format', 'csv', '--json'], {
    input: csv,
  });
  const report = reportIn(stdout);
  expect(report).toMatchObject([
    { line: 2, outcome: 'IMPORTED', prefix: expect.stringMatching(/^sk_live_/) },
    { line: 3, outcome: 'IMPORTED' },
    { line: 4, outcome: 'REJECTED', problems: ['has 2 cells, but the file has 6 columns'] },
  ]);
  expect(JSON.parse(stderr.split('\n')[1] ?? '')).toMatchObject({ error: { code: 'REJECTED' } });
  expect(exitCode).toBe(1);
  expect(await codeOf(one, { sourceIp: '192.168.7.7' })).toBe('VALID');
  expect(await codeOf(one, { sourceIp: '8.8.8.8' })).toBe('SOURCE_NOT_ALLOWED');
  expect(await codeOf(two)).toBe('VALID');
});

it('a file of many batches is imported in order; a second import of it creates nothing and reports the existing keys', async () => {
  const team = randomUUID();
  const secrets = Array.from({ length: 700 }, foreignSecret);
  const path = file(
    'many.ndjson',
    ndjson(secrets.map((secret, i) => ({ digest: sha256(secret), name: `Key ${i}`, env: 'live' }))),
  );
  const reports = [join(directory, 'first'), join(directory, 'second')] as const;
  const dryRun = await run(team, ['keys', 'import', path, '--dry-run']);
  expect([dryRun.stderr, dryRun.exitCode]).toEqual(['700 would be imported, 0 existed already, 0 rejected\n', 0]);
  const first = await run(team, ['keys', 'import', path, '--report', reports[0]]);
  expect(first).toEqual({ stdout: '', stderr: '700 imported, 0 existed already, 0 rejected\n', exitCode: 0 });
  const second = await run(team, ['keys', 'import', path, '--report', reports[1]]);
  expect(second).toEqual({ stdout: '', stderr: '0 imported, 700 existed already, 0 rejected\n', exitCode: 0 });
  const [told, again] = reports.map((report) => reportIn(readFileSync(report, 'utf8')));
  expect(told?.map(({ line }: { line: number }) => line)).toEqual(secrets.map((_, i) => i + 1));
  expect(again?.map(({ id }: { id: string }) => id)).toEqual(told?.map(({ id }: { id: string }) => id));
  expect(statSync(reports[0]).mode & 0o777).toBe(0o600);
  const verdict = (await rest(gateway.url, null, 'POST', '/v1/verify', { key: secrets[699] })).body;
  expect(verdict).toMatchObject({ code: 'VALID', keyId: told?.[699].id, name: 'Key 699' });
});

it('it retries while the service is busy or unreachable for a moment, and imports nothing twice', async () => {
  const team = randomUUID();
  const path = file(
    'retried.ndjson',
    ndjson(Array.from({ length: 3 }, () => ({ digest: sha256(foreignSecret()), name: 'Retried', env: 'live' }))),
  );
  let calls = 0;
  // The first answer is lost after the work was done, the second call comes too early.
  const between = createServer(async (request, response) => {
    calls += 1;
    const answer = await rest(
      gateway.running.url,
      String(request.headers.authorization).slice(7),
      'POST',
      '/graphql',
      await text(request),
      { 'content-type': 'application/json' },
    );
    if (calls === 1) response.destroy();
    else if (calls === 2) {
      response.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ message: 'Too many', extensions: { code: 'RATE_LIMITED' } }] }));
    } else response.end(JSON.stringify(answer.body));
  });
  const url = await listen(between);
  const { stderr, exitCode } = await run(team, ['keys', 'import', path], { url });
  await stopListening(between);
  expect([stderr, exitCode, calls]).toEqual(['0 imported, 3 existed already, 0 rejected\n', 0, 3]);
  expect(
    (await rest(gateway.running.url, sessionToken({ [team]: both }), 'GET', `/v1/keys?teamId=${team}`)).body,
  ).toHaveLength(3);
});

it.each<[string, string, string, string]>([
  ['a column that is not known', 'x.csv', 'digest,name,password\na,b,c', 'line 1: the column "password" is not known'],
  ['a column given twice', 'x.csv', 'digest,name,name\na,b,c', 'line 1: the column "name" is there more than once'],
  ['no digests', 'x.csv', 'name\na', 'line 1: the column "digest" is missing'],
  [
    'a quotation mark that is never closed',
    'x.csv',
    'digest,name\na,"b\nc,d',
    'line 3: has a quotation mark out of place',
  ],
  ['a line without an end', 'x.csv', `digest,name\na,${'b'.repeat(40_000)}`, 'line 2: is longer than 32768 bytes'],
  ['a line without an end', 'x.ndjson', `{}\n"${'b'.repeat(200_000)}`, 'line 2: is longer than 32768 bytes'],
  ['an unknown format', 'x.txt', '', '--format is required'],
])('%s ends it with the place, in %s', async (_, name, content, expected) => {
  const args = ['keys', 'import', file(name, content), '--env', 'live'];
  const { stdout, stderr, exitCode } = await run(randomUUID(), args);
  expect(stderr).toContain(expected);
  expect(stderr + stdout).not.toContain('bbb');
  expect([1, 2]).toContain(exitCode);
});

it('the same mistake in each line of a file is one message, with the count and the first lines', async () => {
  const digests = Array.from({ length: 1000 }, () => sha256(foreignSecret()));
  const rows = digests.map((digest) => `${digest};Key;2026-31-12`);
  const path = file('same.csv', ['digest;name;expiresAt', ...rows, 'a;b'].join('\r\n'));
  const team = randomUUID();
  const { stdout, stderr, exitCode } = await run(team, ['keys', 'import', path, '--env', 'live']);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^1000 lines \(2, 3, 4, 5, 6, …\): expiresAt: is not a date of the calendar$/),
    'line 1002: has 2 cells, but the file has 3 columns',
    '',
  ]);
  expect([stderr, exitCode]).toEqual([
    '0 imported, 0 existed already, 1001 rejected\nREJECTED: 1001 lines were rejected\n',
    1,
  ]);
  // For programs, each line is one entry.
  const json = await run(team, ['keys', 'import', path, '--env', 'live', '--json', '--dry-run']);
  expect(reportIn(json.stdout)).toHaveLength(1001);
});

it('a file of another system with prefixes of its own is imported, with its expiries', async () => {
  const prefixes = ['acme_Nuz1', '3ZabT', 'sk_l', 'sk_l'];
  const rows = prefixes.map((prefix) => `${sha256(foreignSecret())}\t${prefix}\tMüller\t30d`);
  const team = randomUUID();
  const path = file('foreign.csv', `\ufeffsep=\t\r\n${['digest\tprefix\tname\texpiresAt', ...rows].join('\r\n')}`);
  expect(await run(team, ['keys', 'import', path, '--env', 'live'])).toEqual({
    stdout: '',
    stderr: '4 imported, 0 existed already, 0 rejected\n',
    exitCode: 0,
  });
  const keys = reportIn((await run(team, ['keys', 'export'])).stdout);
  expect(keys.map(({ prefix }: { prefix: string }) => prefix).sort()).toEqual([...prefixes].sort());
  expect(new Set(keys.map(({ name }: { name: string }) => name))).toEqual(new Set(['Müller']));
  expect((await run(team, ['keys', 'get', '3ZabT'])).exitCode).toBe(0);
  const shared = await run(team, ['keys', 'revoke', 'sk_l']);
  expect([shared.exitCode, shared.stderr]).toEqual([
    1,
    expect.stringMatching(/^AMBIGUOUS: several keys have the prefix sk_l: give --team, or one of the ids \S+, \S+\n$/),
  ]);
});

it('a file that is not UTF-8 ends the import with the line, and no name is changed', async () => {
  const path = join(directory, 'latin1.csv');
  writeFileSync(path, Buffer.from(`digest,name,env\n${sha256('a')},Müller,live\n`, 'latin1'));
  const team = randomUUID();
  const { stderr, exitCode } = await run(team, ['keys', 'import', path]);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/BAD_FILE: line 2: is not text in UTF-8\. Save the file as/),
  ]);
  expect((await run(team, ['keys', 'export'])).stdout).toBe('');
});

it('a missing file and a missing permission have specific errors', async () => {
  const missing = await run(randomUUID(), ['keys', 'import', join(directory, 'missing.csv')]);
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('ENOENT')]);
  const input = ndjson([{ digest: sha256('x'), name: 'x', env: 'live' }]);
  const reader = await run(randomUUID(), ['keys', 'import', '-', '--format', 'ndjson'], {
    input,
    permissions: ['view_team'],
  });
  expect([reader.exitCode, reader.stderr]).toEqual([1, expect.stringContaining('FORBIDDEN')]);
});

it('a report that would overwrite the file, or cannot be written, is rejected before anything is imported', async () => {
  const team = randomUUID();
  const path = file('kept.ndjson', ndjson([{ digest: sha256(foreignSecret()), name: 'Kept', env: 'live' }]));
  const content = readFileSync(path, 'utf8');
  const same = await run(team, ['keys', 'import', path, '--report', join(directory, '.', 'kept.ndjson')]);
  expect([same.exitCode, same.stderr]).toEqual([2, expect.stringContaining('--report must be another file')]);
  expect(readFileSync(path, 'utf8')).toBe(content);
  const nowhere = await run(team, ['keys', 'import', path, '--report', join(directory, 'missing', 'report')]);
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([1, expect.stringMatching(/^FAILED: ENOENT[^\n]*\n$/)]);
  expect((await run(team, ['keys', 'export'])).stdout).toBe('');
});

it('an export contains every key in every state, with all readable fields, over several pages', async () => {
  const team = randomUUID();
  const path = file(
    'out.ndjson',
    ndjson(
      Array.from({ length: 501 }, (_, i) => ({
        digest: sha256(foreignSecret()),
        name: `=Key ${i}`,
        env: 'live',
        allowedIps: ['10.0.0.1', '10.0.0.2'],
      })),
    ),
  );
  await run(team, ['keys', 'import', path]);
  const token = sessionToken({ [team]: both });
  const [{ id }] = (await rest(gateway.running.url, token, 'GET', `/v1/keys?teamId=${team}&limit=1`)).body;
  await rest(gateway.running.url, token, 'DELETE', `/v1/keys/${id}`);
  const lines = reportIn((await run(team, ['keys', 'export'])).stdout);
  expect(new Set(lines.map((key: { id: string }) => key.id)).size).toBe(501);
  expect(lines.find((key: { id: string }) => key.id === id).state).toBe('REVOKED');
  const fields = [
    'id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit responsible expiresAt',
    'signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt',
    'previousSigningSecretExpiresAt revokedAt revision',
  ];
  expect(Object.keys(lines[0]).sort()).toEqual(fields.flatMap((line) => line.split(' ')).sort());
  const csv = parse((await run(team, ['keys', 'export', '--format', 'csv'])).stdout, {
    bom: true,
    columns: true,
  }) as Record<string, string>[];
  expect(csv).toHaveLength(501);
  // What a spreadsheet would run stays text.
  expect(csv[0]).toMatchObject({
    name: expect.stringMatching(/^'=Key/),
    allowedIps: '10.0.0.1;10.0.0.2',
    signingEnabled: 'false',
  });
  const trail = reportIn((await run(team, ['audit', 'export'])).stdout);
  expect(trail).toHaveLength(502);
  expect(trail[0]).toMatchObject({ action: 'KEY_REVOKED', actorKind: 'SESSION', keyId: id, teamId: team });
});

it('every setting survives an export and an import, as NDJSON and as CSV', async () => {
  const settings = {
    // A spreadsheet would run it as a formula.
    name: '=One, and only',
    description: '+1 555 0100 is "on call", always',
    env: 'live',
    expiresAt: '2999-01-01T00:00:00.000Z',
    allowedIps: ['10.0.0.0/8 # ours; theirs', 'api.example.com'],
    scopes: ['a;b', '[c]'],
    // The export adds one apostrophe, and the import removes only that one.
    externalId: "'=customer, 42",
    tags: ['[shop]', 'ci "x"'],
    metadata: { plan: 'pro; "plus"', seats: [1, null, { deep: true }] },
    rateLimit: { limit: 100, windowSeconds: 60 },
  };
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  const given = ndjson([
    { ...settings, digest: sha256(foreignSecret()) },
    { digest: sha256(foreignSecret()), name: 'Plain', env: 'test' },
  ]);
  await run(first, ['keys', 'import', file('settings.ndjson', given)]);
  const columns = Object.keys(settings);
  const picked = (keys: Record<string, unknown>[]) =>
    keys.map((key) => Object.fromEntries(columns.map((name) => [name, key[name]])));
  const exported = picked(reportIn((await run(first, ['keys', 'export'])).stdout));
  const plain = {
    name: 'Plain',
    description: null,
    env: 'test',
    expiresAt: null,
    allowedIps: [],
    scopes: [],
    externalId: null,
    tags: [],
  };
  expect(exported).toEqual(expect.arrayContaining([settings, { ...plain, metadata: null, rateLimit: null }]));

  const asNdjson = ndjson(exported.map((key) => ({ ...key, digest: sha256(foreignSecret()) })));
  expect((await run(second, ['keys', 'import', file('again.ndjson', asNdjson)])).exitCode).toBe(0);
  // The whole export with a column of digests, which an export never has. It begins with a byte order mark, for Excel.
  const { stdout } = await run(first, ['keys', 'export', '--format', 'csv']);
  const [header, ...rows] = stdout.trimEnd().split('\r\n');
  expect(header).toMatch(/^\ufeffid,/);
  const asCsv = [`${header},digest`, ...rows.map((row) => `${row},${sha256(foreignSecret())}`)].join('\r\n');
  expect((await run(third, ['keys', 'import', file('again.csv', asCsv)])).exitCode).toBe(0);
  for (const team of [second, third]) {
    const keys = picked(reportIn((await run(team, ['keys', 'export'])).stdout));
    expect(keys).toHaveLength(2);
    expect(keys).toEqual(expect.arrayContaining(exported));
  }
});

it('an exported key that was revoked, or whose requests must be signed, is not imported as active or unsigned', async () => {
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  for (const name of ['Revoked', 'Signed', 'Active']) {
    const { body } = await rest(gateway.running.url, token, 'POST', '/v1/keys', { teamId: team, name, env: 'live' });
    if (name === 'Revoked') await rest(gateway.running.url, token, 'DELETE', `/v1/keys/${body.id}`);
    if (name === 'Signed') await rest(gateway.running.url, token, 'POST', `/v1/keys/${body.id}/signing/enable`);
  }
  const exported: object[] = reportIn((await run(team, ['keys', 'export'])).stdout);
  const lines = exported.map((key) => ({ ...key, digest: sha256(foreignSecret()) }));
  const args = ['keys', 'import', file('states.ndjson', ndjson(lines)), '--dry-run'];
  const { stdout, stderr } = await run(randomUUID(), args);
  expect(stdout.split('\n')).toEqual([
    'line 1: state: must be ACTIVE, because an imported key is active',
    'line 2: signingEnabled: must be false, because an import enables no signing',
    '',
  ]);
  expect(stderr).toContain('1 would be imported, 0 existed already, 2 rejected');

  // A file need not have all columns. Spreadsheets save `false` as FALSE.
  const at = '2026-01-01T00:00:00.000Z';
  const rows = [
    { revokedAt: at },
    { disabledAt: at },
    { state: 'ACTIVE', disabledAt: at },
    { signingEnabled: 'TRUE' },
    { state: 'ACTIVE', signingEnabled: 'FALSE' },
  ];
  const columns = ['state', 'revokedAt', 'disabledAt', 'signingEnabled'];
  const cellsOf = (row: Readonly<Record<string, string>>) => columns.map((column) => row[column] ?? '').join(',');
  const csv = rows.map((row) => `${sha256(foreignSecret())},x,live,${cellsOf(row)}`);
  const parsed = rows.map(({ signingEnabled, ...row }) => ({
    ...row,
    ...(signingEnabled === undefined ? {} : { signingEnabled: signingEnabled === 'TRUE' }),
    digest: sha256(foreignSecret()),
    name: 'x',
    env: 'live',
  }));
  const files = [
    [1, file('dates.ndjson', ndjson(parsed))],
    [2, file('dates.csv', [`digest,name,env,${columns}`, ...csv].join('\n'))],
  ] as const;
  for (const [first, path] of files) {
    const { stdout, stderr } = await run(randomUUID(), ['keys', 'import', path, '--dry-run']);
    expect(stdout.split('\n')).toEqual([
      `line ${first}: revokedAt: must be empty, because an imported key is active`,
      `line ${first + 1}: disabledAt: must be empty, because an imported key is active`,
      `line ${first + 2}: disabledAt: must be empty, because an imported key is active`,
      `line ${first + 3}: signingEnabled: must be false, because an import enables no signing`,
      '',
    ]);
    expect(stderr).toContain('1 would be imported, 0 existed already, 4 rejected');
  }
});

it('a line is reported with all that is wrong: cells that are not JSON, wrong types, unknown fields and broken rules', async () => {
  const csv = `digest,name,env,metadata,rateLimit\n${sha256('x')},One,live,plan=pro,\nhush,Two,prod,[1],5`;
  const { stdout, exitCode } = await run(randomUUID(), ['keys', 'import', file('cells.csv', csv)]);
  expect([exitCode, stdout.split('\n')]).toEqual([
    1,
    [
      'line 2: metadata: must be a JSON object',
      expect.stringMatching(/^line 3: digest: .+; env: .+ live, test; metadata: .+; rateLimit: must be an object$/),
      '',
    ],
  ]);
  const line = { digest: sha256('z'), nam: 'x', name: ' ', env: 'live', scopes: ['a', 1], prefix: 'sk_test_4fJx81Qz' };
  const json = await run(randomUUID(), ['keys', 'import', file('wrong.ndjson', ndjson([line]))]);
  expect(json.stdout).toMatch(/^line 1: nam: .+; name: .+; prefix: .+ sk_live_\w+; scopes\[1\]: must be a string\n$/);
});

it("an export of a team's usage works with every verdict in every hour, and contains each count once", async () => {
  const team = randomUUID();
  const { management } = gateway.running.service;
  const { apiKey } = await createKey(management, callerOf({ [team]: both }), {
    teamId: team,
    name: 'Busy',
    env: 'live',
  });
  const hourMs = 3_600_000;
  const thisHour = Math.floor(Date.now() / hourMs) * hourMs;
  const counts = countedCodes.map((code) => ({ code, count: 1 }));
  const hours = Array.from({ length: 31 * 24 }, (_, i) => new Date(thisHour - i * hourMs));
  const record = { keyId: apiKey.id, teamId: team, version: 1, lastUsedAt: null, counts };
  for (const hour of hours) await management.store.usage.add([{ ...record, hour }]);
  const { stdout, stderr, exitCode } = await run(team, ['usage', 'export', '--days', '31']);
  expect([stderr, exitCode]).toEqual(['', 0]);
  const exported = reportIn(stdout).map(({ hour, code }: { hour: string; code: string }) => `${hour} ${code}`);
  expect(new Set(exported).size).toBe(exported.length);
  expect(exported).toHaveLength(hours.length * countedCodes.length);
  expect(countedCodes.length * 24 * maxUsageDays).toBeLessThanOrEqual(limits.usageCounts);
});

it("an export of a team's usage contains each hour and verdict once, over more days than one call returns", async () => {
  const team = randomUUID();
  const secret = foreignSecret();
  const path = file('used.ndjson', ndjson([{ digest: sha256(secret), name: 'Used', env: 'live' }]));
  await run(team, ['keys', 'import', path]);
  for (let i = 0; i < 3; i += 1) await codeOf(secret);
  await codeOf(secret, { env: 'test' });
  const countsOf = async () => {
    const { stdout, exitCode } = await run(team, ['usage', 'export', '--days', '90']);
    expect(exitCode).toBe(0);
    const counts: Record<string, number> = {};
    for (const { code, count } of stdout === '' ? [] : reportIn(stdout)) counts[code] = (counts[code] ?? 0) + count;
    return counts;
  };
  await expect.poll(countsOf).toEqual({ VALID: 3, WRONG_ENVIRONMENT: 1 });
});

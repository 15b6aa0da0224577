/** What docs/tasks/webhooks.md and docs/reference/events.md say of webhooks is what the code does, and their programs work as written. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { webhookSnippetsOf } from '../../src/dashboard/secrets/webhook-snippets.ts';
import { nextAttempt } from '../../src/domain/webhook/retry-schedule.ts';
import { mintWebhookSecret, verificationKeyOf, webhookHeaders } from '../../src/domain/webhook/signature.ts';
import type { SignatureScheme } from '../../src/domain/webhook/webhook.ts';
import { blockOf, sectionOf, tableRows } from '../support/documents.ts';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { serviceEnvironment, until } from '../support/instance.ts';
import { pythonWith } from '../support/python.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const run = promisify(execFile);
const document = 'docs/tasks/webhooks.md';

test('the programs that verify signatures are those of the dashboard', () => {
  const text = readFileSync(document, 'utf8');
  const codeOf = (signature: SignatureScheme, name: string) =>
    webhookSnippetsOf(signature).find((snippet) => snippet.name === name)?.code;
  expect(text).toContain(`\`\`\`js\n${codeOf('V1', 'Node')}\`\`\``);
  expect(text).toContain(`\`\`\`python\n${codeOf('V1', 'Python')}\`\`\``);
  expect(text).toContain(`\`\`\`js\n${codeOf('V1A', 'Node')}\`\`\``);
});

test('the table of retries has each attempt with its delay', () => {
  const units: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };
  const now = new Date();
  const documented = tableRows(sectionOf('docs/reference/events.md', 'Retries').prose).map(([attempt, after = '']) => {
    const [, count, unit = ''] = /^(\d+) ([a-z]+?)s?$/.exec(after) ?? [];
    return [Number(attempt), after === 'at once' ? 0 : Number(count) * (units[unit] ?? Number.NaN)];
  });
  const delays = documented.map((_, attempts) => {
    const next = nextAttempt({ attempts, now, retryAfterMs: null, random: () => 0.5 });
    return [attempts + 1, next === null ? null : next.getTime() - now.getTime()];
  });
  expect(documented).toEqual(delays);
  expect(nextAttempt({ attempts: delays.length, now, retryAfterMs: null, random: () => 0.5 })).toBeNull();
});

describe('the programs that verify signatures', () => {
  const body = '{"type":"key.created","text":"ä"}';
  const javascript = `
for (const { headers, body } of JSON.parse(process.env.CALLS)) {
  try { console.log(eventOf(body, headers).type); } catch { console.log('rejected'); }
}`;
  const python = `
for call in json.loads(os.environ["CALLS"]):
    try: print(event_of(call["body"].encode(), call["headers"])["type"])
    except ValueError: print("rejected")
`;

  /** Three requests to accept, then seven to reject. */
  function callsFor(scheme: SignatureScheme) {
    const [secret, other] = [mintWebhookSecret(scheme, randomBytes), mintWebhookSecret(scheme, randomBytes)];
    const otherScheme = mintWebhookSecret(scheme === 'V1' ? 'V1A' : 'V1', randomBytes);
    const seconds = Math.floor(Date.now() / 1000);
    const headers = (secrets = [secret], timestampSeconds = seconds) =>
      webhookHeaders({ id: 'evt_1', timestampSeconds, body }, secrets);
    const calls = [
      { body, headers: headers() },
      { body, headers: headers([other, secret]) },
      { body, headers: headers([otherScheme, secret]) },
      { body: body.replace('created', 'revoked'), headers: headers() },
      { body, headers: { ...headers(), 'webhook-id': 'evt_2' } },
      { body, headers: headers([other]) },
      { body, headers: headers([secret], seconds - 400) },
      { body, headers: headers([secret], seconds + 400) },
      { body, headers: { ...headers(), 'webhook-timestamp': 'NaN' } },
      { body, headers: { ...headers(), 'webhook-signature': '' } },
    ];
    return {
      PATH: process.env.PATH,
      [scheme === 'V1' ? 'WEBHOOK_SECRET' : 'WEBHOOK_PUBLIC_KEY']: verificationKeyOf(secret),
      CALLS: JSON.stringify(calls),
    };
  }

  const expected = 'key.created\n'.repeat(3) + 'rejected\n'.repeat(7);

  it.each([
    ['V1', 0],
    ['V1A', 2],
  ] as const)('in Node.js accept only recent requests of ours, with %s', async (scheme, index) => {
    const program = blockOf(document, 'Verify the signature', index) + javascript;
    const { stdout } = await run('node', ['--input-type=module', '-e', program], { env: callsFor(scheme) });
    expect(stdout).toBe(expected);
  });

  it('in Python accept only recent requests of ours', async (context) => {
    const interpreter = await pythonWith();
    if (interpreter === undefined) return context.skip('no Python 3.11 is installed');
    const program = blockOf(document, 'Verify the signature', 1) + python;
    expect((await run(interpreter, ['-c', program], { env: callsFor('V1') })).stdout).toBe(expected);
  });
});

describe('the commands', () => {
  const gateway = inTests(() => startGateway('sqlite'));
  const directory = temporaryDirectory().path;
  /** Returns a block of the document for this service. */
  const block = (title: string, index = 0) =>
    `set -eu\n${blockOf(document, title, index)}`
      .replaceAll('npm run -s token --', 'node dist/cli/latchkey.js token')
      .replaceAll('npx latchkey', 'node dist/cli/latchkey.js')
      .replaceAll('localhost:4000', new URL(gateway.running.url).host)
      .replaceAll('./latchkey.cursor', `${directory}/latchkey.cursor`);
  const environment = (LATCHKEY_TOKEN?: string) =>
    serviceEnvironment({
      TEAM: gateway.teamId,
      LATCHKEY_TEAM: gateway.teamId,
      LATCHKEY_URL: gateway.running.url,
      ...(LATCHKEY_TOKEN === undefined ? {} : { LATCHKEY_TOKEN }),
    });

  it('add endpoints, then print what happened and follow what happens', async () => {
    const shell = async (script: string, env = environment()) => (await run('sh', ['-c', script], { env })).stdout;
    const script = `${block('Add an endpoint')}\necho "$LATCHKEY_TOKEN"`;
    const lines = (await shell(script)).trimEnd().split('\n');
    const token = lines.pop();
    const text = lines.join('\n');
    expect(text).toMatch(/^whsec_\S+\n/);
    const added = JSON.parse(/^\{.*?\}/m.exec(text)?.[0] ?? '');
    expect(added).toMatchObject({
      id: expect.any(String),
      url: 'https://example.com/latchkey',
      types: ['key.expiring', 'key.exposed'],
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(
      text.match(/ https:\/\/example\.com\/latchkey +key\.expiring,key\.exposed +standard +enabled /g),
    ).toHaveLength(2);

    await gateway.issue();
    const read = await shell(block('Read events instead').replaceAll('\ncurl', '\necho; curl'), environment(token));
    const [first, second] = read
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toEqual({ events: [expect.anything(), expect.anything()], next: expect.any(String) });
    expect(second).toEqual({ events: [], next: expect.any(String) });

    const reading = block('Read events instead', 1).replace('logger --tag latchkey', 'head -n 1');
    const child = spawn('sh', ['-c', reading], { env: environment(token), stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (part) => {
      output += part;
    });
    const exit = once(child, 'close');
    const printed = async (count: number) => {
      await until(`${count} events are printed`, () => output.split('\n').length > count);
      expect(
        output
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).type),
      ).toEqual(Array(count).fill('key.created'));
    };
    await printed(1);
    await until('the position is stored', () => existsSync(`${directory}/latchkey.cursor`));
    await gateway.issue();
    await printed(2);
    // The reader goes after the second event. The next event that is printed after that shows it.
    let hasEnded = false;
    void exit.then(() => {
      hasEnded = true;
    });
    await until('the reader has gone', async () => {
      await gateway.issue({ externalId: randomUUID() });
      return hasEnded;
    });
    expect(await exit).toEqual([0, null]);
  });
});

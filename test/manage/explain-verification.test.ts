/** An explanation says what the verification port says, for whatever key and circumstances, and leaves no trace. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyEnv } from '../../src/domain/key/api-key.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../src/manage/change/rotate-key.ts';
import { enableSigning } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import {
  type ExplainVerificationInput,
  explainVerification,
  type VerificationExplanation,
} from '../../src/manage/read/explain-verification.ts';
import { theProvider } from '../support/databases.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { both, callerOf, graphql, rest, sessionToken } from '../support/service.ts';

interface Wishes {
  readonly env: KeyEnv;
  readonly allowedIps: readonly string[];
  readonly life: 'endless' | 'ending' | 'ended' | 'revoked' | 'ended and revoked';
  readonly signing: boolean;
}

const allowLists = [
  [],
  ['10.0.0.0/8 # the office', '2001:db8::/32'],
  ['198.51.100.7', 'gone.example', 'Gate.example # the gate'],
];
const lives = ['endless', 'ending', 'ended', 'revoked', 'ended and revoked'] as const;
const sources = [undefined, '10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1', '192.0.2.10', '203.0.113.9'];
const envs = [undefined, 'live', 'test'] as const;

/** The verdict that a check which failed stands for. */
const codeOfFailed: Readonly<Record<string, VerdictCode>> = {
  FORM: 'MALFORMED',
  EXISTENCE: 'NOT_FOUND',
  REVOCATION: 'REVOKED',
  FREEZE: 'FROZEN',
  ROTATION: 'ROTATED',
  ENABLEMENT: 'DISABLED',
  EXPIRY: 'EXPIRED',
  ENVIRONMENT: 'WRONG_ENVIRONMENT',
  SOURCE: 'SOURCE_NOT_ALLOWED',
  SCOPES: 'INSUFFICIENT_SCOPE',
  SIGNATURE: 'SIGNATURE_REQUIRED',
  RATE_LIMIT: 'RATE_LIMITED',
};

let nameServer: NameServer;
let gateway: RunningGateway;

beforeAll(async () => {
  nameServer = await startNameServer({ 'gate.example': ['192.0.2.10', '192.0.2.11'] });
  gateway = await startGateway(theProvider, { DNS_SERVERS: nameServer.address });
});
afterAll(async () => {
  await gateway.stop();
  nameServer.stop();
});

const management = () => gateway.running.service.management;
const caller = () => callerOf({ [gateway.teamId]: both });
const explain = (input: Omit<ExplainVerificationInput, 'teamId'>) =>
  explainVerification(management(), caller(), { teamId: gateway.teamId, ...input });
const verify = async (key: string, more: object) => {
  const ask = () => rest(gateway.url, null, 'POST', '/v1/verify', { key, ...more });
  let answer = await ask();
  // A busy machine may not answer in time.
  for (let i = 0; i < 5 && answer.status === 503; i += 1) answer = await ask();
  expect(answer.status).toBe(200);
  return answer.body.code;
};

async function make({ env, allowedIps, life, signing }: Wishes) {
  const { teamId } = gateway;
  const past = callerOf({ [teamId]: both }, new Date('2026-01-01T00:00:00Z'));
  const expiresAt = life.startsWith('ended') ? new Date('2026-01-02T00:00:00Z') : new Date('2999-01-01T00:00:00Z');
  const { apiKey, secret } = await createKey(management(), past, {
    teamId,
    name: 'A key',
    env,
    ...(life === 'endless' || life === 'revoked' ? {} : { expiresAt }),
  });
  await updateKey(management(), past, apiKey.id, { allowedIps });
  if (signing) await enableSigning(management(), past, apiKey.id);
  if (life.endsWith('revoked')) await revokeKey(management(), past, apiKey.id);
  return { id: apiKey.id, secret, prefix: apiKey.prefix };
}

function expectWellFormed({ code, checks, apiKey }: VerificationExplanation, secret: string) {
  expect(checks.map(({ name }) => name)).toEqual(Object.keys(codeOfFailed));
  const failed = checks.find(({ outcome }) => outcome === 'FAILED');
  expect(code).toBe(failed === undefined ? 'VALID' : codeOfFailed[failed.name]);
  expect(apiKey === null).toBe(code === 'MALFORMED' || code === 'NOT_FOUND');
  for (const { explanation } of checks) {
    expect(explanation).toMatch(/^[A-Z0-9].*\.$/);
    expect(explanation).not.toContain(secret.slice(-20));
  }
}

describe('an explanation', () => {
  it('every explanation has the code of the verification port, by secret and by prefix', async () => {
    const seen = new Set<VerdictCode>();
    for (const allowedIps of allowLists) {
      for (const life of lives) {
        for (const signing of [false, true]) {
          const env = signing ? 'test' : 'live';
          const { secret, prefix } = await make({ env, allowedIps, life, signing });
          for (const sourceIp of sources) {
            for (const served of envs) {
              const circumstances = { sourceIp, env: served };
              const told = await verify(secret, circumstances);
              const explanation = await explain({ secret, ...circumstances });
              expect(explanation.code, JSON.stringify({ allowedIps, life, signing, ...circumstances })).toBe(told);
              expectWellFormed(explanation, secret);
              const byPrefix = await explain({ prefix, ...circumstances });
              expectWellFormed(byPrefix, secret);
              expect(byPrefix.code).toBe(told);
              expect(byPrefix.checks.slice(1)).toEqual(explanation.checks.slice(1));
              seen.add(told);
            }
          }
        }
      }
    }
    expect([...seen].sort()).toEqual(
      ['VALID', ...Object.values(codeOfFailed)]
        .filter((code) => !/MALFORMED|NOT_FOUND|FROZEN|ROTATED|DISABLED|SCOPE|LIMITED/.test(code))
        .sort(),
    );
  });

  it('the prefix of the previous secret explains the verdict of that secret', async () => {
    const { id, prefix, secret } = await make({ env: 'live', allowedIps: [], life: 'endless', signing: false });
    await rotateKey(gateway.running.service.management, callerOf({ [gateway.teamId]: both }), id, {
      overlapSeconds: 60,
    });
    expect((await explain({ prefix })).code).toBe(await verify(secret, {}));
    await endOverlap(gateway.running.service.management, callerOf({ [gateway.teamId]: both }), id);
    expect([(await explain({ prefix })).code, await verify(secret, {})]).toEqual(['ROTATED', 'ROTATED']);
  });

  it('malformed and unknown keys get the same code as at the verification port', async () => {
    const { secret } = await gateway.issue();
    const last = secret.at(-1) === '0' ? '1' : '0';
    const junk = ['', 'x', `${secret} `, ` ${secret}`, `Bearer ${secret}`, secret.slice(0, -1), 'x'.repeat(1000)];
    for (const text of [...junk, secret.slice(0, -1) + last, secret.toLowerCase()]) {
      const explanation = await explain({ secret: text });
      expect([explanation.code, await verify(text, {})]).toEqual(['MALFORMED', 'MALFORMED']);
      expectWellFormed(explanation, secret);
    }
    const unknown = mintSecret('lk', 'live', randomBytes);
    for (const input of [{ secret: unknown.secret }, { prefix: unknown.prefix }]) {
      const explanation = await explain(input);
      expect([explanation.code, await verify(unknown.secret, {})]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
      expectWellFormed(explanation, unknown.secret);
    }
  });

  it('a key of another team looks like an unknown key', async () => {
    const { secret } = await gateway.issue();
    const team = randomUUID();
    const ask = (input: object) =>
      explainVerification(management(), callerOf({ [team]: both, [gateway.teamId]: both }), { teamId: team, ...input });
    const nobody = mintSecret('lk', 'live', randomBytes);
    expect(await ask({ secret })).toEqual(await ask({ secret: nobody.secret }));
    const prefix = secret.slice(0, -50);
    expect((await explain({ prefix })).code).toBe('VALID');
    expect(await ask({ prefix })).toEqual(await ask({ prefix: nobody.prefix }));
    expect((await ask({ prefix })).code).toBe('NOT_FOUND');
  });

  it('all failed checks are returned at once, with their facts', async () => {
    const { secret } = await make({
      env: 'live',
      allowedIps: ['10.0.0.0/8 # the office', 'gate.example', 'gone.example'],
      life: 'ended',
      signing: true,
    });
    const { code, checks } = await explain({ secret, env: 'test', sourceIp: '::ffff:203.0.113.9' });
    expect(code).toBe('EXPIRED');
    const failed = checks.filter(({ outcome }) => outcome === 'FAILED');
    expect(failed.map(({ name }) => name)).toEqual(['EXPIRY', 'ENVIRONMENT', 'SOURCE', 'SIGNATURE']);
    expect(failed[2]?.explanation).toContain(
      '203.0.113.9 is not on its allow-list of 3 entries (gate.example has other addresses; gone.example has no address in DNS)',
    );
  });

  it('the entry that allows a source is returned as it was written', async () => {
    const { prefix } = await make({ env: 'live', allowedIps: allowLists[2] ?? [], life: 'endless', signing: false });
    const { checks } = await explain({ prefix, sourceIp: '192.0.2.11' });
    expect(checks[8]).toEqual({
      name: 'SOURCE',
      outcome: 'PASSED',
      explanation: '192.0.2.11 is allowed by the entry "Gate.example # the gate".',
    });
  });

  it('an explanation does not count as use of the key', async () => {
    const [explained, used] = [await gateway.issue(), await gateway.issue()];
    for (let i = 0; i < 5; i += 1) await explain({ secret: explained.secret, env: 'live' });
    // Whatever was counted before is written with this, or before it.
    await verify(used.secret, {});
    const { usage } = management().store;
    await expect.poll(async () => (await usage.lastUsed([used.id])).size).toBe(1);
    expect((await usage.lastUsed([explained.id])).size).toBe(0);
    expect(await usage.hourly(explained.id, new Date('2020-01-01'), new Date('2999-01-01'))).toEqual([]);
  });
});

describe('over GraphQL', () => {
  const query = `query ($input: ExplainVerificationInput!) {
    explainVerification(input: $input) { code apiKey { id state lastUsedAt } checks { name outcome explanation } }
  }`;
  const ask = (input: object, token = sessionToken({ [gateway.teamId]: ['view_team'] })) =>
    graphql(gateway.running.url, token, query, { input: { teamId: gateway.teamId, ...input } });

  it('an explanation comes with the key', async () => {
    const { id, secret } = await gateway.issue();
    const { explainVerification: answer } = (await ask({ secret, env: 'test', sourceIp: null, prefix: null })).body
      .data;
    expect(answer).toMatchObject({
      code: 'WRONG_ENVIRONMENT',
      apiKey: { id, state: 'ACTIVE', lastUsedAt: null },
    });
    expect(answer.checks).toHaveLength(12);
    expect((await ask({ secret: 'x' })).body.data.explainVerification).toMatchObject({
      code: 'MALFORMED',
      apiKey: null,
    });
  });

  const address = 'must be one IPv4 or IPv6 address, without a port, a zone or leading zeros';
  const prefix = 'must be the first 4 to 24 characters of a key, such as lk_live_4fJx81Qz';
  const rejections: [string, object, Record<string, string>][] = [
    ['nothing to look for', {}, { secret: 'is required if there is no prefix' }],
    ['null in place of it', { secret: null }, { secret: 'is required if there is no prefix' }],
    [
      'both a secret and a prefix',
      { secret: 'hush-hush', prefix: 'lk_live_4fJx81Qz' },
      { prefix: 'must not be given together with a secret' },
    ],
    ['a secret that is too long', { secret: 'hush-hush'.repeat(112) }, { secret: 'must have at most 1000 characters' }],
    [
      'everything wrong at once',
      { sourceIp: 'hush-hush' },
      { secret: 'is required if there is no prefix', sourceIp: address },
    ],
    ...['', 'hus', 'hush-hush'.repeat(3), 'hush hush', 'lk_live_4fJx81Qz\n'].map(
      (text): (typeof rejections)[number] => [`the prefix ${JSON.stringify(text)}`, { prefix: text }, { prefix }],
    ),
    ...['', 'hush-hush', '1.2.3.4:80', '010.0.0.1', 'fe80::1%eth0', '10.0.0.0/8', ' 10.0.0.1'].map(
      (sourceIp): (typeof rejections)[number] => [
        `the source ${JSON.stringify(sourceIp)}`,
        { secret: 'x', sourceIp },
        { sourceIp: address },
      ],
    ),
  ];
  it.each(rejections)('%s is rejected by field, and nothing given is repeated', async (_, input, errors) => {
    const { body } = await ask(input);
    expect(body.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: Object.entries(errors).map(([field, message]) => ({ field, message })),
    });
    expect(JSON.stringify(body)).not.toContain('hush-hush');
  });
});

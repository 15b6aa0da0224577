/** An explanation names the check of a signature that fails, agrees with the verification port, and reveals no secret. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { type RequestToSign, type SigningOptions, signRequest } from '../../src/client/sign.ts';
import type { KeyEnv } from '../../src/domain/key/api-key.ts';
import type { SignatureCheckName } from '../../src/domain/signature/signature-checks.ts';
import type { SignedRequestInput } from '../../src/manage/read/explain-signature.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { digestOf } from '../support/crafted-request.ts';
import { theProvider } from '../support/databases.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, graphql, rest, sessionToken } from '../support/service.ts';

type Key = Awaited<ReturnType<RunningGateway['issueSigning']>>;
type Headers = Record<string, string>;

const get = { method: 'GET', url: 'https://api.example.com/orders?limit=5' };
const post = { method: 'POST', url: 'https://api.example.com/orders', body: '{"amount": 5}' };

function sign({ id, signingSecret }: Key, request: RequestToSign, options: Partial<SigningOptions> = {}) {
  const headers: Headers = { ...signRequest(request, { keyId: id, signingSecret, ...options }) };
  return { method: request.method, url: request.url.toString(), headers };
}

/** With one header replaced, or removed. */
function withHeader(signed: ReturnType<typeof sign>, name: string, change: (value: string) => string | undefined) {
  const { [name]: value = '', ...others } = signed.headers;
  const changed = change(value);
  return { ...signed, headers: changed === undefined ? others : { ...others, [name]: changed } };
}

type Told = ReturnType<typeof sign> & { readonly bodyDigest?: string };

const inputOf = ({ headers, ...request }: Told): SignedRequestInput => ({
  ...request,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
});

const input = 'signature-input';
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

const failures: [SignatureCheckName, string, (key: Key) => Told][] = [
  ['HEADERS', 'no signature', () => ({ ...get, headers: {} })],
  ['COMPONENTS', 'another order', (key) => withHeader(sign(key, get), input, swapped)],
  ['COMPONENTS', 'a body that is not covered', (key) => withHeader(sign(key, get), 'content-length', () => '5')],
  ['PARAMETERS', 'one too many', (key) => withHeader(sign(key, get), input, (text) => `${text};more="x"`)],
  [
    'PARAMETERS',
    'another algorithm',
    (key) => withHeader(sign(key, get), input, (text) => text.replace('sha256', 'sha512')),
  ],
  ['SIGNATURE', 'no Signature', (key) => withHeader(sign(key, get), 'signature', () => undefined)],
  ['TARGET', 'a URL with a fragment', (key) => ({ ...sign(key, get), url: `${get.url}#top` })],
  ['CONTENT_DIGEST', 'an old algorithm', (key) => withHeader(sign(key, post), 'content-digest', () => 'md5=:AAAA:')],
  ['KEY_ID', 'the prefix as the id', (key) => sign({ ...key, id: 'lk_live_4fJx81Qz' }, get)],
  ['CREATED', 'a clock that is ahead', (key) => sign(key, get, { now: ago(-60) })],
  ['MAC', 'another secret', (key) => sign({ ...key, signingSecret: 'ab'.repeat(32) }, get)],
  ['MAC', 'another query', (key) => ({ ...sign(key, get), url: 'https://api.example.com/orders?limit=6' })],
  ['BODY', 'another body', (key) => ({ ...sign(key, post), bodyDigest: digestOf('{"amount": 6}') })],
  ['BODY', 'no digest of the body', (key) => sign(key, post)],
  ['EXPIRES', 'an old signature', (key) => sign(key, get, { now: ago(100) })],
];

const swapped = (text: string) => text.replace('"@method" "@authority"', '"@authority" "@method"');

const gateway = inTests(() => startGateway(theProvider));

const explain = ({ secret }: Key, request: Told, env?: KeyEnv) => {
  const { teamId, running } = gateway;
  const question = { teamId, secret, env, request: inputOf(request) };
  return explainVerification(running.service.management, callerOf({ [teamId]: both }), question);
};
const verify = async ({ secret }: Key, request: Told) =>
  (await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret, request })).body.code;

it.each(failures)('names %s as the check that fails for %s, with the verdict of the port', async (check, _, make) => {
  const key = await gateway.issueSigning();
  const request = make(key);
  const { code, checks, signature } = await explain(key, request);
  expect(signature?.failedCheck).toBe(check);
  expect(code).toBe(await verify(key, request));
  expect(checks.at(-2)).toEqual({
    name: 'SIGNATURE',
    outcome: 'FAILED',
    explanation: `The check ${check} of the signature failed: ${signature?.reason}.`,
  });
});

it('shows the signature base, and never what its signature or the digest of the body would be', async () => {
  const key = await gateway.issueSigning();
  const signed = sign({ ...key, signingSecret: 'ab'.repeat(32) }, post);
  const arrived = digestOf('another body');
  const explanation = await explain(key, { ...signed, bodyDigest: arrived });
  const base = [
    '"@method": POST',
    '"@authority": api.example.com',
    '"@path": /orders',
    '"@query": ?',
    `"content-digest": ${digestOf(post.body)}`,
    `"@signature-params": ${signed.headers[input]?.slice('sig1='.length)}`,
  ].join('\n');
  expect(explanation.signature?.signatureBase).toBe(base);
  const expected = createHmac('sha256', Buffer.from(key.signingSecret, 'hex')).update(base).digest();
  const { apiKey, ...text } = explanation;
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    expect(JSON.stringify(text)).not.toContain(expected.toString(encoding));
  }
  expect(JSON.stringify(text)).not.toContain(arrived);
  expect(JSON.stringify(text)).not.toContain(key.signingSecret);
  expect(apiKey?.id).toBe(key.id);
});

it('does not use up a nonce, and names one that is used up', async () => {
  const key = await gateway.issueSigning();
  const request = sign(key, get);
  for (let i = 0; i < 3; i += 1) {
    expect(await explain(key, request)).toMatchObject({ code: 'VALID', signature: { failedCheck: null } });
  }
  expect(await verify(key, request)).toBe('VALID');
  expect(await explain(key, request)).toMatchObject({
    code: 'SIGNATURE_REPLAYED',
    signature: { failedCheck: 'NONCE', reason: 'nonce must not have been used before with this key' },
  });
  expect(await verify(key, request)).toBe('SIGNATURE_REPLAYED');
});

it('explains the signature also where an earlier check decides the verdict', async () => {
  const key = await gateway.issueSigning();
  expect(await explain(key, sign(key, get), 'test')).toMatchObject({
    code: 'WRONG_ENVIRONMENT',
    signature: { failedCheck: null },
  });
});

it('has nothing to explain for a key that needs no signature', async () => {
  const key = { ...(await gateway.issue()), signingSecret: '' };
  const { code, signature } = await explain(key, { ...get, headers: {} });
  expect([code, signature]).toEqual(['VALID', null]);
});

it('is answered over GraphQL, where a header can come in several lines', async () => {
  const key = await gateway.issueSigning();
  const { method, url, headers } = inputOf(sign(key, get));
  const query = `query ($input: ExplainVerificationInput!) {
      explainVerification(input: $input) { code signature { failedCheck reason signatureBase } }
    }`;
  const ask = async (lines: SignedRequestInput['headers']) => {
    const variables = {
      input: { teamId: gateway.teamId, secret: key.secret, request: { method, url, headers: lines } },
    };
    const token = sessionToken({ [gateway.teamId]: ['view_team'] });
    return (await graphql(gateway.running.url, token, query, variables)).body.data.explainVerification;
  };
  expect(await ask(headers)).toEqual({
    code: 'VALID',
    signature: { failedCheck: null, reason: null, signatureBase: expect.stringContaining('"@query": ?limit=5\n') },
  });
  expect(await ask([...headers, ...headers])).toMatchObject({
    code: 'SIGNATURE_INVALID',
    signature: { failedCheck: 'PARAMETERS', signatureBase: null },
  });
});

// SECURITY.md: A log or a trace; Malformed or ambiguous input
/** A secret that was pasted into the wrong place of a document comes back in no error, and gets into no log. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { temporaryDatabase } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { killInstances, startInstance } from '../support/instance.ts';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));
const team = randomUUID();
const token = sessionToken({ [team]: both });
const secret = 'lk_live_4fJx81Qz_hush';

const t = `teamId: "${team}"`;

const documents: readonly (readonly [query: string, message: string])[] = [
  [`{ key(id: "${secret}") { id } }`, 'The value here must be of type UUID.'],
  [`{ key(id: ${secret}) { id } }`, 'The value here must be of type UUID.'],
  [`{ key(id: ["${secret}"]) { id } }`, 'The value here must be of type UUID.'],
  [`{ key(id: null) { id } }`, 'The value here must be of type UUID!.'],
  [`{ keys(${t}, first: "${secret}") { totalCount } }`, 'The value here must be of type Int.'],
  [`{ keys(${t}, filter: "${secret}") { totalCount } }`, 'The value here must be of type KeyFilter.'],
  [`{ keys(${t}, filter: { env: ${secret} }) { totalCount } }`, 'The value here must be one of live, test.'],
  [`{ keys(${t}, filter: { env: "${secret}" }) { totalCount } }`, 'The value here must be one of live, test.'],
  [
    `{ keys(${t}, filter: { state: [${secret}] }) { totalCount } }`,
    'The value here must be one of ACTIVE, EXPIRED, DISABLED, REVOKED.',
  ],
  [
    `mutation { createKey(input: { ${t}, name: "${secret}", env: null }) { secret } }`,
    'The value here must be one of live, test.',
  ],
  [`{ keys(${t}, filter: { search: ${secret} }) { totalCount } }`, 'The value here must be of type String.'],
  [`{ keys(${t}, filter: { neverUsed: "${secret}" }) { totalCount } }`, 'The value here must be of type Boolean.'],
  [`{ keys(${t}, filter: { expiresBefore: "${secret}" }) { totalCount } }`, 'The value here must be of type DateTime.'],
  [`query ($id: UUID = "${secret}") { key(id: $id) { id } }`, 'The value here must be of type UUID.'],
  [
    `mutation { createKey(input: { ${t}, name: "${secret}" }) { secret } }`,
    'Field "CreateKeyInput.env" of required type "KeyEnv!" was not provided.',
  ],
  [`{ "${secret}" }`, 'Syntax Error: Expected Name.'],
  [`{ key(id: "x" }`, 'Syntax Error: Expected Name.'],
  [`{ key(id "${secret}") { id } }`, 'Syntax Error: Expected ":".'],
  [secret, 'Syntax Error: Unexpected character or token.'],
  [`{ key(id: 5${secret}) { id } }`, 'Syntax Error: Unexpected character or token.'],
  [`{ key(id: "${secret}`, 'Syntax Error: Unterminated string.'],
];

describe('an error never contains a value of the document, and says what was expected', () => {
  it.each(documents)('%s', async (query, message) => {
    const { status, body } = await graphql(running.url, token, query);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(body.errors[0]).toMatchObject({ message, locations: [{ line: 1, column: expect.any(Number) }] });
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('also not in the name of an operation, or for a variable that must not be null', async () => {
    const named = { query: 'query A { viewer { subject } }', operationName: secret };
    const { body } = await rest(running.url, token, 'POST', '/graphql', named);
    expect(body.errors[0].message).toBe('The document has no operation with the given name.');
    const query = `query ($n: Int = 5, $s: String = "${secret}") { keys(${t}, first: $n, after: $s) { totalCount } }`;
    const missing = await graphql(running.url, token, query, { n: null });
    expect([missing.status, missing.body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(missing.body.errors[0].message).toBe('An argument that is required is null or absent.');
    expect(JSON.stringify([body, missing.body])).not.toContain(secret);
  });
});

it('at the most verbose level, the log has no value of a document that was rejected', async () => {
  const database = await temporaryDatabase('sqlite');
  const environment = { DATABASE_URL: database.url, DATA_DIR: database.directory, LOG_LEVEL: 'trace' };
  const instance = await startInstance(environment);
  try {
    for (const [query] of documents) await graphql(instance.url, token, query);
    await graphql(instance.url, token, `query ($s: String = "${secret}") { keys(${t}, after: $s) { totalCount } }`);
    expect(await instance.stop()).toBe(0);
    expect(instance.output()).toContain('"path":"/graphql"');
    expect(instance.output()).not.toContain(secret);
  } finally {
    await killInstances();
    await database.remove();
  }
});

/** What the README tells a newcomer to type and to paste works, word for word, on both databases. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recipe } from './recipes/page.ts';
import { type BuiltService, startBuilt, stopBuilt } from './support/built-service.ts';
import { providers, type TemporaryDatabase, temporaryDatabase } from './support/databases.ts';
import { rest } from './support/service.ts';

const run = promisify(execFile);
const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
  ([, language, text = '']) => ({ language, text }),
);

/** The block in which all of these words stand: should there be none any more, or two, this test has to follow. */
function blockWith(language: string, ...words: readonly string[]): string {
  const found = blocks.filter(
    (block) => block.language === language && words.every((word) => block.text.includes(word)),
  );
  if (found.length !== 1) throw new Error(`${found.length} ${language} blocks of the README have ${words.join(', ')}`);
  return found[0]?.text ?? '';
}

const overRest = blockWith('sh', 'TEAM=', 'TOKEN=', 'localhost:4000/v1/keys');
const overGraphql = blockWith('sh', 'localhost:4000/graphql', 'createKey');
const verification = blockWith('sh', 'localhost:4001/v1/verify', '$SECRET');
const commandLine = blockWith('sh', 'npx latchkey keys create', 'npx latchkey verify');
const moving = blockWith('sh', 'npx latchkey keys import', 'npx latchkey keys export');
const ending = blockWith('sh', 'DELETE', 'localhost:4001/v1/keys/self', '$SECRET');
const signing = blockWith('js', '@latchkey/client', 'https://api.example.com');

describe.each(providers)('on %s', (provider) => {
  let database: TemporaryDatabase;
  let service: BuiltService;
  let environment: NodeJS.ProcessEnv;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    database = await temporaryDatabase(provider);
    environment = { DATA_DIR: database.directory, DATABASE_URL: database.url };
    service = await startBuilt(environment);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await stopBuilt(service);
    await database.remove();
  });

  const here = (text: string) => {
    const portOf = (url: string) => new URL(url).port;
    return text.replaceAll(':4000', `:${portOf(service.url)}`).replaceAll(':4001', `:${portOf(service.verifyUrl)}`);
  };
  const variables = (more: NodeJS.ProcessEnv) => ({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...environment,
    ...more,
  });
  /** The answers of the calls in it, one a line, which `curl` leaves to its user. */
  async function shell(text: string, more: NodeJS.ProcessEnv = {}) {
    const script = `set -eu\ncurl() { command curl "$@"; echo; }\n${here(text)}`;
    const { stdout } = await run('sh', ['-c', script], { env: variables(more) });
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('a first key over REST, a second over GraphQL, the verdict on the first, and its end', async () => {
    const lines = await shell(`${overRest}${overGraphql}\necho "$TEAM"`);
    const team = lines.pop();
    const [created, listed, second, ...more] = lines.map((line) => JSON.parse(line));
    expect(more).toEqual([]);
    expect(created).toEqual({
      id: expect.any(String),
      name: 'My first key',
      env: 'test',
      prefix: expect.stringMatching(/^lk_test_/),
      secret: expect.stringMatching(/^lk_test_/),
    });
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([created.id]);
    expect(second.data.createKey).toMatchObject({
      secret: expect.stringMatching(/^lk_live_/),
      apiKey: { prefix: expect.stringMatching(/^lk_live_/), state: 'ACTIVE' },
    });
    const [verdict = ''] = await shell(verification, { SECRET: created.secret });
    expect(JSON.parse(verdict)).toMatchObject({ valid: true, code: 'VALID', keyId: created.id, teamId: team });
    const [ended = '', then = ''] = await shell(`${ending}${verification}`, { SECRET: created.secret });
    expect([JSON.parse(ended), JSON.parse(then).code]).toEqual([{ ok: true }, 'REVOKED']);
  });

  it('a key from the command line, and the verdict on it', async () => {
    const lines = await shell(commandLine, {
      ...(await teamAndToken()),
      LATCHKEY_URL: service.url,
      LATCHKEY_VERIFY_URL: service.verifyUrl,
    });
    expect(lines.map((line) => line.trim().split(/ +/))).toContainEqual(['valid', 'true']);
    // npx starts npm, which takes seconds on a busy machine.
  }, 90_000);

  it('a key of another system, imported by its digest, passes, and the export has it', async () => {
    const { TEAM, TOKEN } = await teamAndToken();
    const lines = await shell(moving.replaceAll(/\w+\.ndjson/g, `${database.directory}/$&`), {
      TEAM,
      LATCHKEY_TOKEN: TOKEN,
      OLD_KEY: 'sk-of-another-system-8c2dWm+/=',
      LATCHKEY_URL: service.url,
      LATCHKEY_VERIFY_URL: service.verifyUrl,
    });
    expect(lines.map((line) => line.trim().split(/ +/))).toContainEqual(['valid', 'true']);
    const exported = readFileSync(`${database.directory}/exported.ndjson`, 'utf8').trim().split('\n');
    expect(exported.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ name: 'From before', env: 'live' }),
    );
  }, 90_000);

  it('a client that signs its requests, to the Express application of RECIPES.md', async () => {
    const [secretLine = '', team = '', token = ''] = await shell(`${overGraphql}\necho "$TEAM"; echo "$TOKEN"`, {
      ...(await teamAndToken()),
    });
    const { secret, apiKey } = JSON.parse(secretLine).data.createKey;
    const origin = await startExpress();
    const open = { authorization: `Bearer ${secret}` };
    const answer = await (await fetch(origin, { headers: open })).json();
    expect(answer).toMatchObject({ keyId: apiKey.id, teamId: team, env: 'live' });
    expect((await fetch(origin)).status).toBe(401);

    const { signingSecret } = (await rest(service.url, token, 'POST', `/v1/keys/${apiKey.id}/signing/enable`)).body;
    expect((await fetch(origin, { headers: open })).status).toBe(401);
    const client = `const { apiKey, keyId, signingSecret } = ${JSON.stringify({ apiKey: secret, keyId: apiKey.id, signingSecret })};
      ${signing.replace('https://api.example.com', origin).replace('await send', 'const response = await send')}
      console.log(response.status);`;
    const { stdout } = await run('node', ['--input-type=module', '-e', client], { env: variables({}) });
    // The application has nothing there; what is rejected never comes so far.
    expect(stdout.trim()).toBe('404');
  });

  async function teamAndToken() {
    const [TEAM = '', TOKEN = ''] = await shell(`${overRest.split('curl', 1)[0]}\necho "$TEAM"; echo "$TOKEN"`);
    return { TEAM, TOKEN };
  }

  async function startExpress(): Promise<string> {
    const listen = `const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
    const child = spawn('node', ['--input-type=module', '-e', `${here(recipe('Express').text)}\n${listen}`], {
      env: variables({}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [port] = await once(child.stdout, 'data');
    return `http://127.0.0.1:${String(port).trim()}`;
  }
});

// SECURITY.md: A key; A signed request; Headers that a client of a gateway writes
/** The Python client: its own tests, its types, and its applications before the real service. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blockOf } from '../support/documents.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { pythonWith, runPython, servePython } from '../support/python.ts';

const readme = 'clients/python/README.md';
const python = await pythonWith();
const withLibraries = await pythonWith('fastapi', 'uvicorn', 'flask', 'httpx', 'requests');
const mypy = await promisify(execFile)('mypy', ['--version']).then(
  () => true,
  () => false,
);
const missing = {
  tests: python === undefined ? 'there is no Python 3.11' : undefined,
  libraries: withLibraries === undefined ? 'FastAPI, uvicorn, Flask, httpx or requests is missing' : undefined,
  types: mypy ? undefined : 'there is no mypy',
};
for (const [name, why] of Object.entries(missing)) {
  if (why !== undefined) console.warn(`the ${name} of the Python client are not tested: ${why}`);
}

test.skipIf(python === undefined)('the tests of the Python client pass, without a warning of Python', async () => {
  const output = await runPython(withLibraries ?? python ?? '', [
    '-W',
    'error',
    '-m',
    'unittest',
    'discover',
    '-t',
    '.',
    '-s',
    'tests',
  ]);
  expect(output).toMatch(/^OK/m);
});

test.skipIf(!mypy)('the Python client has the types that mypy --strict demands', async () => {
  await promisify(execFile)('mypy', ['--no-incremental'], { cwd: 'clients/python' });
});

/** An endpoint that answers the size of the body, in each framework. */
const echo = {
  asgi: '@app.post("/size")\nasync def size(request: Request) -> int:\n    return len(await request.body())\n',
  wsgi: '@app.post("/size")\ndef size() -> str:\n    return str(len(request.get_data()))\n',
};

async function codeOf(answer: Response): Promise<[number, string]> {
  const problem: { readonly code: string } = JSON.parse(await answer.text());
  return [answer.status, problem.code];
}

describe.skipIf(withLibraries === undefined).each([
  { kind: 'asgi', title: 'FastAPI' },
  { kind: 'wsgi', title: 'Flask' },
] as const)('the application of the section $title', ({ kind, title }) => {
  let folder: string;
  let gateway: RunningGateway;
  let app: { readonly url: string; readonly stop: () => Promise<void> };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-python-'));
    gateway = await startGateway('sqlite');
    const program = blockOf(readme, title)
      .replace('http://127.0.0.1:4001', gateway.url)
      .replace('env="live")', 'env="live", trusted_proxies=["127.0.0.1"])');
    expect(program).toContain('trusted_proxies');
    const file = join(folder, 'app.py');
    writeFileSync(file, `${program}\n${echo[kind]}`);
    app = await servePython(withLibraries ?? '', kind, file);
  });
  afterAll(async () => {
    await app?.stop();
    await gateway?.stop();
    rmSync(folder, { recursive: true });
  });

  const me = (secret: string, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/me`, { headers: { authorization: `Bearer ${secret}`, ...headers } });

  test('answers a key, and rejects it from the next request on once it is revoked', async () => {
    const { id, secret } = await gateway.issue({ rateLimit: { limit: 100, windowSeconds: 3600 } });
    const answered = await me(secret);
    expect(await answered.json()).toEqual({ keyId: id });
    expect(answered.headers.get('ratelimit')).toMatch(/^"default";r=99;t=\d+$/);
    await gateway.revoke(id);
    expect(await codeOf(await me(secret))).toEqual([401, 'REVOKED']);
    expect((await fetch(`${app.url}/me`)).status).toBe(401);
  });

  test('applies an allow-list to the address that the proxy reports, not to one that its client sends', async () => {
    const { secret } = await gateway.issue({ allowedIps: ['203.0.113.9'] });
    const behind = async (forwarded: string) => (await me(secret, { 'x-forwarded-for': forwarded })).status;
    expect(await behind('198.51.100.1, 203.0.113.9')).toBe(200);
    expect(await behind('203.0.113.9, 198.51.100.1')).toBe(403);
    expect((await me(secret)).status).toBe(403);
  });

  test('accepts each request that httpx and requests sign once, and no other body', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const url = `${app.url}/size?q=%C3%A9`;
    const values = { url, api_key: secret, key_id: id, signing_secret: signingSecret };
    const assignments = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
    // The program of the document, and then each request twice, and with another body.
    const program = `${assignments.join('')}${blockOf(readme, 'Verify and sign')}
client = httpx.Client()
first = auth(client.build_request("POST", url, content=b"body"))
for _ in range(2):
    print(client.send(first).text[-60:])
changed = httpx.Request("POST", url, content=b"BODY", headers=auth(httpx.Request("POST", url, content=b"body")).headers)
print(client.send(changed).text[-60:])
session = requests.Session()
first = requests.Request("POST", url, data=b"body", auth=auth).prepare()
for _ in range(2):
    print(session.send(first).text[-60:])
client.close()
session.close()
`;
    const lines = (await runPython(withLibraries ?? '', ['-c', program])).trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['200', '200']);
    expect(lines.slice(2).map((line) => /"code": "(\w+)"/.exec(line)?.[1] ?? line)).toEqual([
      ...['4', 'SIGNATURE_REPLAYED', 'SIGNATURE_INVALID'],
      ...['4', 'SIGNATURE_REPLAYED'],
    ]);
    expect((await me(secret)).status).toBe(401);
  });

  test('answers 503 while the service does not answer', async () => {
    const { secret } = await gateway.issue();
    expect((await me(secret)).status).toBe(200);
    await gateway.stop();
    const answer = await me(secret);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await codeOf(answer)).toEqual([503, 'UNAVAILABLE']);
  });
});

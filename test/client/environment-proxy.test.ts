// SECURITY.md: A key
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { listen, stopListening } from '../support/gateway.ts';
import { aKey, answering, startStandIn, validVerdict } from '../support/stand-in-verifier.ts';

const clients = {
  createVerify: `const { createVerify } = await import('./src/client/fetch.ts');
    const verify = createVerify({ url });`,
  'requireApiKey with the Fetch API': `const { requireApiKey } = await import('./src/client/fetch.ts');
    const authenticate = requireApiKey({ verifyUrl: url });
    const verify = ({ key }) => authenticate(new Request('http://localhost/', { headers: { authorization: 'Bearer ' + key } }));`,
  createVerifier: `const { createVerifier } = await import('./src/client/client.ts');
    const { verify } = createVerifier({ url });`,
  'latchkey verify': `const { verify } = await import('./src/cli/service/service.ts');
    process.env.LATCHKEY_VERIFY_URL = url;`,
  'latchkey leaks report': `const { reportLeaks } = await import('./src/cli/service/service.ts');
    process.env.LATCHKEY_VERIFY_URL = url;
    const verify = async ({ key }) => (await reportLeaks([{ token: key, type: '', url: '', source: '' }]))[0];`,
};

it.each(Object.entries(clients))('%s sends no key to the proxy of the environment', async (_, client) => {
  const received: string[] = [];
  const proxy = createServer((request, response) => {
    received.push(String(request.url));
    response.writeHead(502).end();
  });
  // `fetch` asks a proxy for a tunnel, also to a server without TLS.
  proxy.on('connect', ({ url }, socket) => {
    received.push(String(url));
    socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
  });
  const proxyUrl = await listen(proxy);
  onTestFinished(() => stopListening(proxy));
  const standIn = await startStandIn();
  onTestFinished(() => standIn.close());
  standIn.answer = (call) => answering(Array.isArray(call.asked) ? [validVerdict] : validVerdict)(call);
  const program = `const url = ${JSON.stringify(standIn.url)};
    ${client}
    const verdict = await verify({ key: ${JSON.stringify(aKey)} }).catch((error) => error);
    // The proxy of this process is in use.
    await fetch('http://other.test/').catch(() => {});
    process.stdout.write(JSON.stringify(verdict.keyId ?? String(verdict)), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, NODE_NO_WARNINGS: '1' },
  });
  expect(received).toEqual([expect.stringContaining('other.test')]);
  expect(standIn.calls).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatch(/^[0-9a-f-]{36}$/);
});

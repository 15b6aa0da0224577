/** The TypeScript client accepts a verdict only in a response that has one meaning, as the vectors say. */
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createVerify } from '../../src/client/fetch-verify.ts';
import { VerifierUnavailableError } from '../../src/client/verdict.ts';
import { createVerifier } from '../../src/client/verify.ts';
import { aKey } from '../support/stand-in-verifier.ts';
import { responseVectors, verdictVectors } from './vectors.ts';

const body = JSON.stringify(verdictVectors.verdict);
const values: Readonly<Record<string, string>> = {
  body,
  cutBody: body.slice(0, -1),
  length: String(body.length),
  hexLength: body.length.toString(16),
};

/** Runs with a server that answers each request with these bytes, and then ends the connection. */
async function withServer<T>(response: string, run: (url: string) => Promise<T>): Promise<T> {
  const bytes = Buffer.from(
    response.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''),
    'latin1',
  );
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      received += part;
      const [head = '', ...rest] = received.split('\r\n\r\n');
      const [, length] = /^content-length: (\d+)$/im.exec(head) ?? [];
      if (rest.join('\r\n\r\n').length === Number(length)) socket.end(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    return await run(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

test.each(responseVectors)('the response of a vector: $name', async ({ input, expected }) => {
  const outcomes = await withServer(input.response, async (url) => {
    const verifier = createVerifier({ url, timeoutMs: 20_000 });
    const outcomes = await Promise.allSettled([
      verifier.verify({ key: aKey }),
      createVerify({ url, timeoutMs: 20_000 })({ key: aKey }),
    ]);
    verifier.close();
    return outcomes;
  });
  for (const outcome of outcomes) {
    if (expected.valid === true) expect(outcome).toMatchObject({ status: 'fulfilled', value: { valid: true } });
    else expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(VerifierUnavailableError) });
  }
});

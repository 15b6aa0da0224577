import type { lookup } from 'node:dns';
import { connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { viewer } from '../../src/cli/service/operations.ts';
import { executeOn } from '../../src/cli/service/service.ts';

afterEach(() => vi.unstubAllGlobals());

/** Returns the error of a connection to a host name with two addresses, where nothing listens. Its message is empty. */
async function refusal(): Promise<unknown> {
  const twice = ((_: string, __: object, done: (...found: unknown[]) => void) =>
    done(
      null,
      [1, 2].map((last) => ({ address: `127.0.0.${last}`, family: 4 })),
    )) as unknown as typeof lookup;
  return await new Promise((resolve) => {
    connect({ port: 1, host: 'keys.example', lookup: twice, autoSelectFamily: true }).on('error', resolve);
  });
}

it('a service whose host name has several addresses, none of which answers, is unreachable for a reason', async () => {
  const cause = await refusal();
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('fetch failed', { cause });
  });
  await expect(executeOn({ url: 'http://keys.example', token: 'a token' }, viewer, {})).rejects.toThrow(
    "http://keys.example can't be reached: ECONNREFUSED",
  );
});

/** VERIFY_LEASE_MS at a local verifier: verdicts without a question, and the strict promise all the same. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLocalVerifier, type LocalVerifier } from '../../../src/client/local-verifier.ts';
import { EdgeFeed } from '../../../src/verify/edge-feed.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';

const leaseMs = 400;

describe('with a lease on PostgreSQL', () => {
  let gateway: RunningGateway;
  let local: LocalVerifier;
  const asked = vi.spyOn(EdgeFeed.prototype, 'handle');
  beforeAll(async () => {
    gateway = await startGateway('postgresql', { VERIFY_LEASE_MS: String(leaseMs) });
    local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
  });
  afterAll(async () => {
    asked.mockRestore();
    await local?.close();
    await gateway?.stop();
  });

  it('a local verifier asks once per lease, however many verifications there are', async () => {
    const { secret } = await gateway.issue();
    await local.verify({ key: secret });
    const [before, startedAt] = [asked.mock.calls.length, performance.now()];
    const questions = () => asked.mock.calls.length - before;
    let verifications = 0;
    // For two leases, however many verifications that are on this machine.
    while (questions() < 2) {
      expect((await local.verify({ key: secret })).code).toBe('VALID');
      verifications += 1;
    }
    expect(questions()).toBeLessThanOrEqual(Math.ceil((performance.now() - startedAt) / leaseMs) + 1);
    expect(verifications).toBeGreaterThan(questions());
  });

  it('rejects a key once its revocation is answered, and accepts a new one at once', async () => {
    for (let i = 0; i < 5; i += 1) {
      const { id, secret } = await gateway.issue();
      expect((await local.verify({ key: secret })).code).toBe('VALID');
      const codes: string[] = [];
      let isOver = false;
      const verifying = (async () => {
        while (!isOver) codes.push((await local.verify({ key: secret })).code);
      })();
      const startedAt = performance.now();
      await gateway.revoke(id);
      const tookMs = performance.now() - startedAt;
      // From here on, no verdict may be older than the revocation.
      expect((await local.verify({ key: secret })).code).toBe('REVOKED');
      isOver = true;
      await verifying;
      expect(tookMs).toBeGreaterThanOrEqual(leaseMs);
      expect(codes.join(' ')).toMatch(/^(VALID )*(REVOKED ?)*$/);
    }
  });
});

/** The local verifier against a real service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalVerifier, type LocalVerifier } from '../../../src/client/local-verifier.ts';
import { providers } from '../../support/databases.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';

describe.each(providers)('a local verifier on %s', (provider) => {
  let gateway: RunningGateway;
  let local: LocalVerifier;
  beforeAll(async () => {
    gateway = await startGateway(provider);
    local = createLocalVerifier({ url: gateway.url });
  });
  afterAll(async () => {
    await local?.close();
    await gateway?.stop();
  });

  it('rejects a key from the moment on when its revocation is answered', async () => {
    const { id, secret } = await gateway.issue();
    expect(await local.verify({ key: secret })).toMatchObject({ valid: true, keyId: id });
    await gateway.revoke(id);
    expect(await local.verify({ key: secret })).toMatchObject({ valid: false, code: 'REVOKED', keyId: id });
  });
});

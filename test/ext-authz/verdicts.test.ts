/** Every verdict through `/v1/authorize` as an HTTP service of Envoy, and through `Check`: the same on both. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { rejections } from '../../src/domain/verdict/checks.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { theProvider } from '../support/databases.ts';
import { type EnvoyRequest, extAuthzClient } from '../support/ext-authz.ts';
import { type KeyOptions, send, sharedGateway } from '../support/gateway.ts';

describe('the verdicts', () => {
  const gateway = sharedGateway(theProvider, {
    EXT_AUTHZ_PORT: '0',
    GATEWAY: 'envoy',
    SOURCE_HEADER: 'X-Forwarded-For',
  });
  it('x', async () => {
    const client = extAuthzClient(gateway.extAuthz);
    const { secret } = await gateway.issue({ scopes: ['a'], rateLimit: { limit: 3, windowSeconds: 86400 } });
    console.log(await client.check({ headers: [['authorization', `Bearer ${secret}`], ['x-latchkey-foo', 'x']] }));
    console.log(await client.check({ headers: [['authorization', `Bearer ${secret}x`]] }));
    console.log(await client.check({ headers: [] }));
    console.log(await client.health());
    client.close();
  });
});

// SECURITY.md: A key
/** What changes while a verification waits, for DNS or for its nonce to be recorded, counts when it is answered. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { NonceRecorder } from '../../src/verify/nonce-recorder.ts';
import { theProvider } from '../support/databases.ts';
import { type RunningGateway, startGateway, verifyAt } from '../support/gateway.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';

const address = '203.0.113.7';
const target = { method: 'GET', url: 'http://api.example/a?b=c' };
/** What the name server knows. */
const hosts: Record<string, readonly string[]> = {};
const known = (host: string) => {
  hosts[host] = [address];
};
let names: NameServer;
let gateway: RunningGateway;

const verify = async (key: string, more: object = {}): Promise<unknown> =>
  (await verifyAt(gateway.url, { key, sourceIp: address, ...more })).body.code;

const change = (id: string, changes: Parameters<typeof updateKey>[3]) =>
  updateKey(gateway.management, gateway.caller(), id, changes);
async function expire(id: string): Promise<void> {
  const expiresAt = new Date(Date.now() + 300);
  await change(id, { expiresAt });
  // The cache has the change, and then the time passes.
  while (Date.now() <= expiresAt.getTime()) await new Promise(setImmediate);
}

beforeAll(async () => {
  names = await startNameServer(hosts);
  gateway = await startGateway(theProvider, { DNS_SERVERS: names.address });
});
afterAll(async () => {
  await gateway.stop();
  names.stop();
});

describe('a key that is changed while', () => {
  /** The verdict on a verification that waits for DNS while something is done. */
  async function duringDns(host: string, done: (id: string) => Promise<unknown>, more: object = {}) {
    const { id, secret } = await gateway.issue({ allowedIps: [host] });
    const asked = names.questions();
    names.hold();
    const waiting = verify(secret, more);
    await expect.poll(names.questions).toBeGreaterThan(asked);
    await done(id);
    names.release();
    return await waiting;
  }

  // Each name is queried once. After that, its answer is cached.
  it.each<[string, (id: string) => Promise<unknown>, string]>([
    ['revoked', (id) => gateway.revoke(id), 'REVOKED'],
    ['restricted to other sources', (id) => change(id, { allowedIps: ['10.0.0.1'] }), 'SOURCE_NOT_ALLOWED'],
    ['made to need signatures', (id) => enableSigning(gateway.management, gateway.caller(), id), 'SIGNATURE_REQUIRED'],
    ['opened to all sources', (id) => change(id, { allowedIps: [] }), 'VALID'],
    ['renamed', (id) => change(id, { name: 'Another name' }), 'VALID'],
    ['given a time that runs out', expire, 'EXPIRED'],
  ])('a key that is %s while its verification waits for DNS gets what it is then', async (_, done, code) => {
    const host = `${randomUUID()}.example`;
    known(host);
    expect(await duringDns(host, done)).toBe(code);
  });

  it('a key that gets other host names while its verification waits for DNS is decided on those', async () => {
    for (const host of ['first.example', 'second.example', 'third.example']) known(host);
    const namedInstead = (host: string, other: string) => duringDns(host, (id) => change(id, { allowedIps: [other] }));
    expect(await namedInstead('first.example', 'absent.example')).toBe('SOURCE_NOT_ALLOWED');
    expect(await namedInstead('second.example', 'third.example')).toBe('VALID');
  });

  /** The verdict on a signed request whose nonce is recorded only after something is done. */
  async function duringClaim(done: (id: string) => Promise<unknown>) {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const headers = signRequest(target, { keyId: id, signingSecret });
    const { claim } = NonceRecorder.prototype;
    const held: (() => void)[] = [];
    const gate = vi.spyOn(NonceRecorder.prototype, 'claim').mockImplementation(async function (
      this: NonceRecorder,
      nonce,
    ) {
      await new Promise<void>((open) => held.push(open));
      return await claim.call(this, nonce);
    });
    const waiting = verify(secret, { request: { ...target, headers } });
    await expect.poll(() => held.length).toBe(1);
    await done(id);
    for (const open of held) open();
    gate.mockRestore();
    return await waiting;
  }

  it.each<[string, (id: string) => Promise<unknown>, string]>([
    ['revoked', (id) => gateway.revoke(id), 'REVOKED'],
    ['restricted', (id) => change(id, { allowedIps: ['10.0.0.1'] }), 'SOURCE_NOT_ALLOWED'],
    [
      'given another signing secret',
      (id) => rotateSigningSecret(gateway.management, gateway.caller(), id),
      'SIGNATURE_INVALID',
    ],
    ['relieved of signing', (id) => disableSigning(gateway.management, gateway.caller(), id), 'VALID'],
    ['given a time that runs out', expire, 'EXPIRED'],
    ['renamed', (id) => change(id, { name: 'Another name' }), 'VALID'],
    ['left as it is', async () => undefined, 'VALID'],
  ])('a key that is %s while the nonce of its request is recorded gets what it is then', async (_, done, code) => {
    expect(await duringClaim(done)).toBe(code);
  });
});

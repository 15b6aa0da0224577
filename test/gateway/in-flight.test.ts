/** What changes while a verification waits, for DNS or for its nonce to be recorded, counts when it is answered. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { NonceRecorder } from '../../src/verify/nonce-recorder.ts';
import { oneProvider } from '../support/databases.ts';
import { type RunningGateway, send, startGateway } from '../support/gateway.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { both, callerOf } from '../support/service.ts';

const address = '203.0.113.7';
const target = { method: 'GET', url: 'http://api.example/a?b=c' };
/** What the name server knows. */
const hosts: Record<string, readonly string[]> = {};
const known = (host: string) => {
  hosts[host] = [address];
};
let names: NameServer;
let gateway: RunningGateway;

async function verify(key: string, more: object = {}): Promise<unknown> {
  const body = JSON.stringify({ key, sourceIp: address, ...more });
  return JSON.parse((await send(gateway.url, { method: 'POST', path: '/v1/verify', body })).body).code;
}

const change = (id: string, changes: Parameters<typeof updateKey>[3]) =>
  updateKey(gateway.running.service.management, callerOf({ [gateway.teamId]: both }), id, changes);

describe.each(oneProvider)('on %s', (provider) => {
  beforeAll(async () => {
    names = await startNameServer(hosts);
    gateway = await startGateway(provider, { DNS_SERVERS: names.address });
  });
  afterAll(async () => {
    await gateway.stop();
    names.stop();
  });

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

  // Each name is asked about once: afterwards its answer is at hand.
  const changes: readonly [string, (id: string) => Promise<unknown>, string][] = [
    ['revoked', (id) => gateway.revoke(id), 'REVOKED'],
    ['restricted to other sources', (id) => change(id, { allowedIps: ['10.0.0.1'] }), 'SOURCE_NOT_ALLOWED'],
    [
      'made to need signatures',
      (id) => enableSigning(gateway.running.service.management, caller(), id),
      'SIGNATURE_REQUIRED',
    ],
    ['opened to all sources', (id) => change(id, { allowedIps: [] }), 'VALID'],
    ['renamed', (id) => change(id, { name: 'Another name' }), 'VALID'],
  ];
  const caller = () => callerOf({ [gateway.teamId]: both });

  it.each(changes)(
    'a key that is %s while its verification waits for DNS gets what it is then',
    async (_, done, code) => {
      const host = `${code.toLowerCase().replaceAll('_', '-')}-${Math.random().toString(36).slice(2)}.example`;
      known(host);
      expect(await duringDns(host, done)).toBe(code);
    },
  );

  it('a key whose time runs out while its verification waits for DNS is expired', async () => {
    known('expiring.example');
    const expire = async (id: string) => {
      const expiresAt = new Date(Date.now() + 300);
      await change(id, { expiresAt });
      while (Date.now() <= expiresAt.getTime()) await new Promise(setImmediate);
    };
    expect(await duringDns('expiring.example', expire)).toBe('EXPIRED');
  });

  it('a key that gets other host names while its verification waits for DNS is decided on those', async () => {
    known('first.example');
    expect(await duringDns('first.example', (id) => change(id, { allowedIps: ['absent.example'] }))).toBe(
      'SOURCE_NOT_ALLOWED',
    );
    known('second.example');
    known('third.example');
    expect(await duringDns('second.example', (id) => change(id, { allowedIps: ['third.example'] }))).toBe('VALID');
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
      (id) => rotateSigningSecret(gateway.running.service.management, caller(), id),
      'SIGNATURE_INVALID',
    ],
    ['relieved of signing', (id) => disableSigning(gateway.running.service.management, caller(), id), 'VALID'],
    ['renamed', (id) => change(id, { name: 'Another name' }), 'VALID'],
    ['left as it is', async () => undefined, 'VALID'],
  ])('a key that is %s while the nonce of its request is recorded gets what it is then', async (_, done, code) => {
    expect(await duringClaim(done)).toBe(code);
  });

  it('a key whose time runs out while the nonce of its request is recorded is expired', async () => {
    const expire = async (id: string) => {
      const expiresAt = new Date(Date.now() + 300);
      await change(id, { expiresAt });
      // The cache has the change, and then the time passes.
      while (Date.now() <= expiresAt.getTime()) await new Promise(setImmediate);
    };
    expect(await duringClaim(expire)).toBe('EXPIRED');
  });
});

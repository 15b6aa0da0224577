/** Receivers of webhooks whose TLS handshakes are expensive for a client. Prints the URL of each kind when they listen. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { createServer, type TlsOptions } from 'node:tls';
import { certificateAuthority, expensiveChain, expensiveGroup } from '../../support/certificates.ts';
import { attackerNiceness } from '../generator.ts';

const host = 'hooks.invalid';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const kinds: Readonly<Record<string, TlsOptions>> = {
  'a Diffie-Hellman group of 10,000 bits': {
    ...certificateAuthority().issue(host, undefined, rsa),
    maxVersion: 'TLSv1.2',
    ciphers: 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0',
    dhparam: expensiveGroup(),
  },
  'a chain of DSA certificates': { ...expensiveChain(host), ciphers: 'DEFAULT:@SECLEVEL=0' },
};

setPriority(attackerNiceness);
const urls: Record<string, string> = {};
for (const [kind, options] of Object.entries(kinds)) {
  const server = createServer(options, (socket) => socket.on('error', () => undefined).end());
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  urls[kind] = `https://127.0.0.1:${port}`;
}
console.log(JSON.stringify(urls));
process.once('SIGTERM', () => process.exit());

// SECURITY.md: Bytes from outside; Hostile tenant
/** The TLS handshakes of receivers, which choose what they cost. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restMsAfter } from '../../src/events/sender/receiver-connection.ts';
import { certificateAuthority, expensiveChain } from '../support/certificates.ts';
import { createSender, failure, keepAliveTimeout, listen, webhook } from '../support/webhook-sender.ts';

const authority = certificateAuthority();
const before = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...before, authority.certificate]));
afterAll(() => setDefaultCACertificates(before));

const host = 'hooks.invalid';
const https = async (options: ServerOptions) =>
  await listen(createHttpsServer({ keepAliveTimeout, ...options }, (_, response) => response.end('ok')));
const sendTo = async ({ port }: { readonly port: number }, sender = createSender()) =>
  await sender.send(webhook(`https://${host}:${port}/`));

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ofRsa = () => authority.issue(host, undefined, rsa);
/** Of about 400 bytes each. */
const otherCertificates = (count: number) =>
  Array.from({ length: count }, (_, i) => certificateAuthority(`Authority ${i}`).certificate).join('');

it.each<[string, ServerOptions]>([
  ['TLS 1.3', { minVersion: 'TLSv1.3' }],
  ['TLS 1.2 with ECDHE and RSA', { ...ofRsa(), maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }],
  ['only P-256', { ecdhCurve: 'P-256' }],
])('a receiver with %s gets its events', async (_, options) => {
  expect(await sendTo(await https({ ...authority.issue(host), ...options }))).toMatchObject({ ok: true, status: 200 });
});

it.each<[string, ServerOptions]>([
  [
    'finite-field Diffie-Hellman, whose group it chooses',
    { ...ofRsa(), maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' },
  ],
  ['an exchange without forward secrecy', { ...ofRsa(), maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }],
  ['only P-521', { ecdhCurve: 'P-521' }],
])('a receiver with %s gets nothing', async (_, options) => {
  const server = await https({ ...authority.issue(host), ...options });
  expect(await sendTo(server)).toEqual(failure('the TLS handshake failed'));
});

it('a receiver with a chain of 12 kB gets its events', async () => {
  const { cert, key } = authority.issue(host);
  expect(await sendTo(await https({ cert: cert + otherCertificates(30), key }))).toMatchObject({ ok: true });
});

it('a receiver whose handshake has more than 16 kB is disconnected before its certificates are examined', async () => {
  const { cert, key } = authority.issue(host);
  const server = await https({ cert: cert + otherCertificates(60), key });
  expect(await sendTo(server)).toEqual(failure('the TLS handshake is too long'));
});

it('a handshake message that is longer than 16 kB is not awaited', async () => {
  // The head of a message of 60 kB, of a kind that may have 64 kB, and the first third (RFC 8446, sections 4 and 5.1).
  const record = Buffer.concat([Buffer.from('1603034000', 'hex'), Buffer.alloc(16_384)]);
  const start = Buffer.concat([Buffer.from('160303000402', 'hex'), Buffer.from('00ea60', 'hex'), record, record]);
  const server = await listen(createTcpServer((socket) => socket.once('data', () => socket.write(start))));
  expect(await sendTo(server)).toEqual(failure('the TLS handshake is too long'));
});

it('counts the CPU time of a handshake, and after it that of a receiver which sends thousands of small records', async () => {
  const { cert, key } = authority.issue(host);
  let informed = 0;
  const server = await listen(
    createTlsServer({ cert, key }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => {
        for (let i = 0; i < informed; i += 1) socket.write('HTTP/1.1 102 Processing\r\n\r\n');
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
    }),
  );
  const sender = createSender();
  expect((await sendTo(server, sender)).cpuMs).toBeGreaterThan(0);
  const { cpuMs } = await sendTo(server, sender);
  informed = 2000;
  const flooded = await sendTo(server, sender);
  expect(server.counts.connections).toBe(1);
  expect(flooded).toMatchObject({ ok: true, status: 200 });
  expect(flooded.cpuMs).toBeGreaterThan(5 * cpuMs);
});

it('at most four handshakes of a team wait for their receivers, and none of them delays another team', async () => {
  const began: Socket[] = [];
  const silent = await listen(createTcpServer((socket) => socket.once('data', () => began.push(socket))));
  const sender = createSender();
  const url = `https://${host}:${silent.port}/`;
  const sends = Array.from({ length: 7 }, () => sender.send(webhook(url)));
  await expect.poll(() => silent.counts.connections).toBe(7);
  sends.push(sender.send({ ...webhook(url), teamId: 'another team' }));
  await expect.poll(() => began.length).toBe(5);
  began[0]?.destroy();
  await expect.poll(() => began.length).toBe(6);
  // Each that ends lets the next one begin.
  for (let ended = 1; ended < 8; ended += 1) {
    await expect.poll(() => began.length).toBeGreaterThan(ended);
    began[ended]?.destroy();
  }
  expect((await Promise.all(sends)).map(({ error }) => error)).toEqual(Array(8).fill('the connection was closed'));
});

it('expensive handshakes of a team hold its four places for a while, so that more endpoints cost no more', async () => {
  const expensive = await https({ ...expensiveChain(host), ciphers: 'DEFAULT@SECLEVEL=0' });
  const sender = createSender();
  const first = await Promise.all(Array.from({ length: 4 }, () => sendTo(expensive, sender)));
  expect(first).toEqual(Array(4).fill(failure('the TLS certificate is not valid')));
  for (const { cpuMs } of first) expect(restMsAfter(cpuMs)).toBeGreaterThan(0);

  const began: string[] = [];
  const silentTo = async (name: string) =>
    await listen(createTcpServer((socket) => socket.once('data', () => began.push(name) && socket.destroy())));
  const [own, other] = [await silentTo('the same team'), await silentTo('another team')];
  const abort = new AbortController();
  const waiting = sender.send(webhook(`https://${host}:${own.port}/`), { signal: abort.signal });
  await expect.poll(() => own.counts.connections).toBe(1);
  await sender.send({ ...webhook(`https://${host}:${other.port}/`), teamId: 'another team' });
  expect(began).toEqual(['another team']);
  abort.abort();
  await expect(waiting).rejects.toThrow();
});

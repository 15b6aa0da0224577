// SECURITY.md: A website that a signed-in user visits
/** Another host of the same domain, such as a page of another team, sets cookies for all hosts of the domain. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import jwt from 'jsonwebtoken';
import { expect, it, onTestFinished } from 'vitest';
import { Browser } from '../support/browser.ts';
import { certificateAuthority } from '../support/certificates.ts';
import { launchBrowser } from './support/browser.ts';
import { jwtSecret, startUnlimited } from './support/shared-service.ts';

const [own, sibling, domain] = ['keys.corp.test', 'evil.corp.test', 'corp.test'];
const token = (subject: string) => jwt.sign({ teams: {} }, jwtSecret, { subject, expiresIn: 3600 });

/** None, and every byte. The last one is NUL, for which Chromium rejects the whole answer and shows an error page. */
const bytes = [Buffer.alloc(0), ...Array.from({ length: 256 }, (_, i) => Buffer.from([(i + 1) % 256]))];

/** Returns cookies of which a careless reader takes one for the cookie with this name. */
function cookiesLike(name: string, value: string, byte: Buffer): readonly Buffer[] {
  const parts: readonly (readonly (string | Buffer)[])[] = [
    [byte, name, '=', value],
    [name, byte, '=', value],
    [name, '=', byte, value],
    [name, '=', value, byte],
    // Without a name of its own: some browsers send only what follows.
    ['=', byte, name, '=', value],
    [byte, '=', name, '=', value],
  ];
  return parts.map((part) => Buffer.concat(part.map((text) => Buffer.from(text))));
}

/** Ends TLS for both hosts. Forwards the requests to the service, and answers those to the sibling itself. */
async function startProxy() {
  const state = { servicePort: 0, set: [] as readonly Buffer[], sent: '' };
  const sockets = new Set<Socket>();
  const server = createServer(certificateAuthority().issue(own), (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (head: Buffer) => {
      const text = head.toString('latin1');
      if (text.includes(`\r\nHost: ${sibling}`)) {
        const lines = state.set.map((cookie) =>
          Buffer.concat([Buffer.from('Set-Cookie: '), cookie, Buffer.from(`; Domain=${domain}; Path=/; Secure\r\n`)]),
        );
        const start = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n');
        socket.end(Buffer.concat([start, ...lines, Buffer.from('Content-Length: 0\r\n\r\n')]));
        return;
      }
      const upstream = connect(state.servicePort, '127.0.0.1');
      upstream.on('error', () => socket.destroy());
      const note = (sent: Buffer) => {
        state.sent = /\r\nCookie: ([^\r]*)/.exec(sent.toString('latin1'))?.[1] ?? state.sent;
      };
      note(head);
      socket.on('data', note);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { state, stop, port: (server.address() as AddressInfo).port };
}

it('no cookie that another host of the domain sets, with any byte around its name and value, is a session', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-sibling-'));
  const proxy = await startProxy();
  const origin = `https://${own}:${proxy.port}`;
  const service = await startUnlimited({ DATA_DIR: directory, PUBLIC_URL: origin });
  const browser = await launchBrowser([`--host-resolver-rules=MAP *.${domain} 127.0.0.1`]);
  onTestFinished(async () => {
    await browser.close();
    proxy.stop();
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const { state } = proxy;
  state.servicePort = Number(new URL(service.url).port);
  const attacker = new Browser(service.url, origin);
  await attacker.send('POST', '/session', { body: { token: token('mallory') } });
  const [[name, value] = ['', '']] = attacker.cookies;
  expect(name).toBe(`__Host-latchkey-session-${proxy.port}`);

  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const [victim, other] = [await context.newPage(), await context.newPage()];
  await victim.goto(origin);
  const call = async (method: string, body: object | null) =>
    await victim.evaluate<string, [string, string | null]>(
      async ([how, text]) => {
        const headers = { 'latchkey-session': 'current', 'content-type': 'application/json' };
        return await fetch('/session', { method: how, headers, body: text }).then((answer) => answer.text());
      },
      [method, body === null ? null : JSON.stringify(body)],
    );
  await call('POST', { token: token('ada') });
  const cookies = await context.cookies(origin);

  const arrived: string[] = [];
  for (const byte of bytes) {
    state.set = cookiesLike(name, value, byte);
    const visit = other.goto(`https://${sibling}:${proxy.port}/`);
    await (byte[0] === 0 ? visit.catch(() => undefined) : visit);
    state.sent = '';
    expect([byte.toString('hex'), await call('GET', null)]).toEqual([
      byte.toString('hex'),
      expect.stringContaining('"ada"'),
    ]);
    if (state.sent.includes(value)) arrived.push(byte.toString('hex'));
    await context.clearCookies();
    await context.addCookies(cookies);
  }
  // Among them U+00A0, which `trim` removes. Browsers reject most controls.
  for (const byte of ['a0', '85', 'ff', '41']) expect(arrived).toContain(byte);
  expect(arrived.length).toBeGreaterThan(200);
});

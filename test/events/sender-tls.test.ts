/** Which TLS certificates the sender of webhooks trusts. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { certificateAuthority } from '../support/certificates.ts';
import { createSender, failure, keepAliveTimeout, listen, webhook } from '../support/webhook-sender.ts';

describe('TLS', () => {
  const authority = certificateAuthority();
  const before = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...before, authority.certificate]));
  afterAll(() => setDefaultCACertificates(before));

  const https = async (options: ServerOptions) =>
    await listen(
      createHttpsServer({ keepAliveTimeout, ...options }, (request, response) => response.end(request.headers.host)),
    );

  it('accepts a certificate of a trusted authority for the name, and uses the connection again', async () => {
    const { port, counts } = await https(authority.issue('hooks.invalid'));
    const sender = createSender();
    for (let i = 0; i < 3; i += 1) {
      expect(await sender.send(webhook(`https://hooks.invalid:${port}/`))).toMatchObject({
        ok: true,
        responseBody: `hooks.invalid:${port}`,
      });
    }
    expect(counts.connections).toBe(1);
  });

  it.each([
    ['for another name', authority.issue('other.invalid')],
    ['that has expired', authority.issue('hooks.invalid', new Date(Date.now() - 1000))],
    ['of an unknown authority', certificateAuthority('Another authority').issue('hooks.invalid')],
  ])('rejects a certificate %s, and sends nothing', async (_, options) => {
    const requests: string[] = [];
    const { port } = await listen(createHttpsServer(options, ({ url = '' }) => requests.push(url)));
    expect(await createSender().send(webhook(`https://hooks.invalid:${port}/secret`))).toEqual(
      failure('the TLS certificate is not valid'),
    );
    expect(requests).toEqual([]);
  });

  it('rejects versions of TLS that are no longer secure', async () => {
    const { port } = await https({
      ...authority.issue('hooks.invalid'),
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'ALL@SECLEVEL=0',
    });
    expect(await createSender().send(webhook(`https://hooks.invalid:${port}/`))).toEqual(
      failure('the TLS handshake failed'),
    );
  });

  it('trusts the authorities in NODE_EXTRA_CA_CERTS', async () => {
    const own = certificateAuthority('Authority of a company');
    const { port } = await https(own.issue('hooks.invalid'));
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'authority.pem');
    writeFileSync(file, own.certificate);
    const program = `
      import { WebhookSender } from './src/events/sender/webhook-sender.ts';
      import { parseAllowedNetwork } from './src/domain/webhook/delivery-address.ts';
      const { value } = parseAllowedNetwork('127.0.0.1');
      const sender = new WebhookSender({ addressesOf: async () => [value.network], allowedNetworks: [value], userAgent: '' });
      const webhook = { url: 'https://hooks.invalid:${port}/', teamId: '', headers: {}, body: '' };
      console.log((await sender.send(webhook)).status);
      sender.close();`;
    const run = async (variables: NodeJS.ProcessEnv) => {
      const args = ['--input-type=module-typescript', '--eval', program];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...variables } });
      return stdout.trim();
    };
    expect(await Promise.all([run({ NODE_EXTRA_CA_CERTS: file }), run({})])).toEqual(['200', 'null']);
  });
});

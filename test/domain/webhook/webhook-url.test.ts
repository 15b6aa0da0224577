// SECURITY.md: Bytes from outside
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/domain/limits.ts';
import { isPublicAddress, parseAllowedNetwork } from '../../../src/domain/webhook/delivery-address.ts';
import { parseWebhookUrl, webhookHost } from '../../../src/domain/webhook/webhook-url.ts';

const allowed = ['10.0.0.0/8', 'fd00::/8'].map((text) => {
  const network = parseAllowedNetwork(text);
  if (!network.ok) throw new Error(network.problem);
  return network.value;
});

const problemOf = (text: string, networks = [] as typeof allowed) => {
  const parsed = parseWebhookUrl(text, networks);
  return parsed.ok ? null : parsed.problem;
};

const notPublic = 'must have a public address: this one is private, local or reserved';
const notAbsolute = 'must be an absolute https URL, such as https://example.com/webhooks';
const notAscii = 'must be ASCII without spaces: use percent-encoding in the path, and xn-- labels in the host name';
const badPort = 'must have port 443 or a port above 1023';
const noCredentials = 'must have no user name or password';
const badHost = 'must have a host name of letters, digits, hyphens and dots, or an IP address';
const notPublicName = 'must have a public host name, such as example.com';

describe('the URL of a webhook', () => {
  it.each([
    'https://example.com',
    'https://example.com/',
    'https://example.com:443/hooks',
    'HTTPS://Example.COM:8443/hooks/a%20b?token=1&x=[]',
    'https://xn--bcher-kva.example/x',
    'https://a.b.c.example.:1024/',
    'https://1.1.1.1/x',
    'https://[2606:4700:4700::1111]:8443/x',
    `https://example.com/${'a'.repeat(limits.webhookUrlCharacters - 20)}`,
  ])('is accepted as it is written: %s', (text) => {
    expect(parseWebhookUrl(text, [])).toEqual({ ok: true, value: text });
    expect(parseWebhookUrl(text, allowed)).toEqual({ ok: true, value: text });
  });

  it.each([
    ['', notAbsolute],
    ['example.com/hooks', notAbsolute],
    ['//example.com/hooks', notAbsolute],
    ['https:example.com', notAbsolute],
    ['https:/example.com', notAbsolute],
    ['https:///example.com', notAbsolute],
    ['https://', notAbsolute],
    ['https://?x', notAbsolute],
    ['https:\\\\example.com', notAbsolute],
    ['https://example.com\\@evil.example', notAbsolute],
    ['https://example.com/a\\b', notAbsolute],
    ['https://[::1', notAbsolute],
    ['https://exa%mple.com', notAbsolute],
    ['https://example.com:65536', notAbsolute],
    ['https://example.com:x', notAbsolute],
    ['https://999.1.1.1', notAbsolute],
    ['https://[fe80::1%25eth0]/', notAbsolute],
    ['ftp://example.com', notAbsolute],
    ['javascript:alert(1)', notAbsolute],
    ['file:///etc/passwd', notAbsolute],
    ['http://example.com', 'must start with https://'],
    ['http://example.com:443', 'must start with https://'],
    [' https://example.com', notAscii],
    ['https://example.com ', notAscii],
    ['https://exam\tple.com', notAscii],
    ['https://exam\nple.com', notAscii],
    ['https://example.com/\u0000', notAscii],
    ['https://example.com/\u202egnp', notAscii],
    ['https://bücher.example', notAscii],
    ['https://１２７.0.0.1', notAscii],
    ['https://127。0。0。1', notAscii],
    ['https://user:password@example.com', noCredentials],
    ['https://user@example.com', noCredentials],
    ['https://@example.com', noCredentials],
    ['https://example.com@127.0.0.1', noCredentials],
    ['https://example.com/#section', 'must have no fragment (#)'],
    ['https://example.com/#', 'must have no fragment (#)'],
    [`https://example.com/${'a'.repeat(limits.webhookUrlCharacters - 19)}`, 'must have at most 2000 characters'],
    ['https://example.com:80', badPort],
    ['https://example.com:22', badPort],
    ['https://example.com:1023', badPort],
    ['https://example.com:0', badPort],
    ['https://1.1.1.1:25', badPort],
    ['https://a_b.example.com', badHost],
    ['https://-a.example.com', badHost],
    ['https://a..example.com', badHost],
    ['https://*.example.com', badHost],
    [`https://${'a'.repeat(64)}.example.com`, badHost],
    ['https://localhost', notPublicName],
    ['https://LOCALHOST.:8443', notPublicName],
    ['https://a.localhost', notPublicName],
    ['https://a.b.localhost.', notPublicName],
    ['https://postgres:5432', notPublicName],
  ])('is rejected, with what was expected: %j', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it.each([
    'https://127.0.0.1',
    'https://127.0.0.1.',
    'https://127.1',
    'https://0177.0.0.1',
    'https://0x7f.0.0.1',
    'https://0x7f000001',
    'https://2130706433',
    'https://017700000001',
    'https://%31%32%37.0.0.1',
    'https://0/',
    'https://0.0.0.0',
    'https://10.0.0.1',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xA9FEA9FE',
    'https://255.255.255.255',
    'https://[::1]',
    'https://[::]',
    'https://[0:0:0:0:0:0:0:1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[::127.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://[fd00:ec2::254]',
    'https://[fe80::1]',
  ])('is rejected if its host is any form of an address that is not public: %s', (text) => {
    expect(problemOf(text)).toBe(notPublic);
  });

  it('may be http, at any name and port, if there are allowed networks: the sender checks the addresses', () => {
    for (const text of [
      'http://hooks.internal:80/x',
      'http://hooks:3000',
      'https://localhost:22',
      'http://10.0.0.1/x',
      'https://10.0.0.1:22',
      'http://[fd00::1]:1',
      'http://167772161',
    ]) {
      expect(problemOf(text, allowed), text).toBeNull();
    }
    expect(problemOf('http://127.0.0.1', allowed)).toBe(notPublic);
    expect(problemOf('http://1.1.1.1', allowed)).toBe('must start with https://');
    expect(problemOf('https://1.1.1.1:22', allowed)).toBe(badPort);
    expect(problemOf('https://hooks:0', allowed)).toBe(badPort);
    expect(problemOf('ftp://hooks', allowed)).toBe(
      'must be an absolute https or http URL, such as https://example.com/webhooks',
    );
  });

  it('has, if accepted, a scheme and host that the URL parser reads in the same way, and is in no problem', () => {
    const part = fc.constantFrom(
      'https://',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '#',
      '?',
      '.',
      '[',
      ']',
      '%',
      '127.0.0.1',
      '::1',
      'example.com',
      'localhost',
      '443',
      '8443',
      '0x7f',
      'é',
      '\t',
      ' ',
      'user',
    );
    const text = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => `https://${parts.join('')}`),
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (text) => {
        const parsed = parseWebhookUrl(text, []);
        if (!parsed.ok) {
          if (text.length > 30) expect(parsed.problem).not.toContain(text);
          return;
        }
        const url = new URL(parsed.value);
        expect([url.protocol, url.username, url.password, url.hash]).toEqual(['https:', '', '', '']);
        const host = webhookHost(url);
        expect(host?.kind === 'address' ? isPublicAddress(host.address) : host?.name.includes('.')).toBe(true);
        expect(text.slice('https://'.length).toLowerCase()).toMatch(/^[a-z0-9.:[\]%-]+(?:[/?]|$)/);
      }),
      { numRuns: 300 },
    );
  });
});

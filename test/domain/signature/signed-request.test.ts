import { describe, expect, test } from 'vitest';
import { craft, expectInvalid, lines, valid, verify, wrongMac } from '../../support/crafted-request.ts';

describe('the components are derived as RFC 9421, section 2.2, says', () => {
  test.each([
    ['the authority in lower case', 'https://API.Example.COM/orders?limit=5', {}],
    ['the scheme in any case', 'HTTPS://api.example.com:443/orders?limit=5', {}],
    ['without the default port of https', 'https://api.example.com:443/orders?limit=5', {}],
    ['without the default port of http', 'http://api.example.com:80/orders?limit=5', {}],
    ['without the default port of wss', 'WSS://api.example.com:443/orders?limit=5', {}],
    ['without the default port of ws', 'ws://api.example.com:80/orders?limit=5', {}],
    ['without an empty port', 'http://api.example.com:/orders?limit=5', {}],
    ["with the other scheme's port", 'http://api.example.com:443/orders?limit=5', { authority: 'api.example.com:443' }],
    ['with any other port', 'https://api.example.com:8443/orders?limit=5', { authority: 'api.example.com:8443' }],
    ['of an IPv6 host', 'http://[2001:DB8::1]:80/orders?limit=5', { authority: '[2001:db8::1]' }],
    ['an empty path as /', 'https://api.example.com?limit=5', { path: '/' }],
    ['an absent query as ?', 'https://api.example.com/orders', { query: '?' }],
    ['an empty query as ?', 'https://api.example.com/orders?', { query: '?' }],
    ['neither path nor query', 'https://api.example.com', { path: '/', query: '?' }],
    ['a query with more ?', 'https://api.example.com/orders?a=?b', { query: '?a=?b' }],
    [
      'percent-encoding as sent',
      'https://api.example.com/%7eme/%2F%c3%A9?q=%20+%7E',
      { path: '/%7eme/%2F%c3%A9', query: '?q=%20+%7E' },
    ],
    ['dot segments as sent', 'https://api.example.com/a/../b//c/.?limit=5', { path: '/a/../b//c/.' }],
  ])('%s', (_, url, changes) => {
    expect(verify(craft({ url, lines: lines(changes) }))).toEqual(valid);
  });

  test('the authority from Host when the URL is the one of the request line, port as sent', () => {
    const url = '/orders?limit=5';
    expect(verify(craft({ url, headers: { Host: 'API.example.com' } }))).toEqual(valid);
    const withPort = lines({ authority: 'api.example.com:443' });
    expect(verify(craft({ url, headers: { host: 'api.example.com:443' }, lines: withPort }))).toEqual(valid);
    const host = { host: 'api.example.com' };
    expect(verify(craft({ url: '//x/y', headers: host, lines: lines({ path: '//x/y', query: '?' }) }))).toEqual(valid);
  });

  test('the method in the case it was sent in', () => {
    expect(verify(craft({ method: 'get', lines: lines({ method: 'get' }) }))).toEqual(valid);
    expectInvalid(craft({ method: 'get', lines: lines({ method: 'GET' }) }), wrongMac);
    expectInvalid(craft({ method: '', lines: lines({ method: '' }) }), /^The method/);
  });

  test.each([
    ['no Host', '/orders?limit=5', {}],
    ['two Hosts', '/orders?limit=5', { host: ['api.example.com', 'api.example.com'] }],
    ['Hosts under two spellings', '/orders?limit=5', { host: 'api.example.com', Host: 'api.example.com' }],
    ['a Host with user information', '/orders?limit=5', { host: 'x@api.example.com' }],
    ['a Host with a newline', '/orders?limit=5', { host: 'api.example.com\n"@path": /' }],
    ['a URL with user information', 'https://me@api.example.com/orders?limit=5', {}],
    ['a URL of another scheme', 'ftp://api.example.com/orders?limit=5', {}],
    ['text before the scheme', 'xhttps://api.example.com/orders?limit=5', {}],
    ['a URL without a host', 'https:///orders?limit=5', {}],
    ['a relative URL', 'orders?limit=5', {}],
    ['the URL *', '*', {}],
    ['an empty URL', '', {}],
    ['a fragment', 'https://api.example.com/orders?limit=5#top', {}],
    ['a URL of more than 16 kB', `https://api.example.com/${'a'.repeat(16_384)}`, {}],
  ])('%s is rejected', (_, url, headers: Record<string, string | string[]>) => {
    expectInvalid(craft({ url, headers }), /^The (URL|authority) must/);
  });

  test.each(['\n', '\r', '\t', '\0', '\x7f', ' ', 'é', '\u2028', '😀', '\ud800'])(
    'the character %j in method, path, query or authority is rejected, even signed',
    (character) => {
      const [site, path, authority] = ['https://api.example.com', `/or${character}ders`, `api${character}.example.com`];
      for (const method of [`GET${character}`, `${character}GET`])
        expectInvalid(craft({ method, lines: lines({ method }) }), /^The method/);
      for (const [url, changes] of [
        [`${site}${path}?limit=5`, { path }],
        [`${site}/orders?limit=5${character}`, { query: `?limit=5${character}` }],
        [`https://${authority}/orders?limit=5`, { authority }],
      ] as const) {
        expectInvalid(craft({ url, lines: lines(changes) }), /^The URL/);
      }
      const byHost = craft({ url: '/orders?limit=5', headers: { host: authority }, lines: lines({ authority }) });
      expectInvalid(byHost, /^The authority/);
    },
  );
});

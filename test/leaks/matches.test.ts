// SECURITY.md: A copy of the database; Bytes from outside
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { answersTo, parseMatches } from '../../src/leaks/matches.ts';
import { githubExamples } from './github-example.ts';

const match = { token: 'a token', type: 'latchkey', url: 'https://example.com/a', source: 'commit' };

describe('a report', () => {
  it.each(githubExamples)("can be GitHub's example $body", ({ body }) => {
    expect(parseMatches(JSON.parse(body))).toEqual([{ source: '', ...JSON.parse(body)[0] }]);
  });

  it('can omit the place, and have fields that GitHub adds later', () => {
    const { token, type } = match;
    expect(parseMatches([{ token, type, further: 1 }])).toEqual([{ token, type, url: '', source: '' }]);
  });

  it('can have 1,000 matches, each with texts of the maximum length', () => {
    const longest = {
      token: 't'.repeat(limits.presentedCharacters),
      type: 't'.repeat(100),
      url: 'u'.repeat(2000),
      source: 's'.repeat(100),
    };
    expect(parseMatches(Array(1000).fill(longest))).toHaveLength(1000);
  });

  it.each([
    ['no list', { ...match }, 'body: must be an array of 1 to 1000 matches'],
    ['nothing', undefined, 'body: must be an array of 1 to 1000 matches'],
    ['an empty list', [], 'body: must be an array of 1 to 1000 matches'],
    ['too many matches', Array(1001).fill(match), 'matches: must have at most 1000 entries'],
  ])('must not have %s', (_, body, message) => {
    expect(() => parseMatches(body)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });

  it.each<[string, object, object]>([
    ['a long URL', { url: `https://${'u'.repeat(3000)}` }, { url: `https://${'u'.repeat(1992)}` }],
    ['a long type', { type: 't'.repeat(101) }, { type: 't'.repeat(100) }],
    ['a long source', { source: 's'.repeat(101) }, { source: 's'.repeat(100) }],
    ['a cut pair of surrogates', { source: `${'s'.repeat(99)}\u{1f511}` }, { source: `${'s'.repeat(99)}\ufffd` }],
    ['a line break', { url: 'https://a/\nb' }, { url: 'https://a/ b' }],
    ['a NUL', { source: 'a\0' }, { source: 'a\ufffd' }],
    ['null as place', { url: null, source: null }, { url: '', source: '' }],
    ['numbers as texts', { type: 1, url: 1, source: 1 }, { type: '', url: '', source: '' }],
    ['a long token', { token: 't'.repeat(1001) }, {}],
    ['a token with a line break', { token: 'a\n' }, {}],
    ['a number as token', { token: 1 }, { token: '' }],
  ])('can have %s, without effect on the other matches', (_, changed, parsed) => {
    const matches = parseMatches([{ ...match, ...changed }, match]);
    expect(matches).toEqual([{ ...match, ...changed, ...parsed }, match]);
  });

  it('keeps no key in what is stored of its place', () => {
    const { secret } = mintSecret('lk', 'live', randomBytes);
    const other = mintSecret('acme', 'test', randomBytes).secret;
    const foreign = 'a secret & more';
    const url = `https://example.com/?key=${secret}&other=${other}#${encodeURIComponent(foreign)}`;
    const [own, imported] = parseMatches([
      { ...match, token: secret, url, source: secret },
      { ...match, token: foreign, url, source: `found ${foreign}` },
    ]);
    expect(own).toMatchObject({ token: secret, source: '…' });
    expect(own?.url).toMatch(/^https:\/\/example\.com\/\?key=…&other=…#/);
    expect(imported).toMatchObject({ url: 'https://example.com/?key=…&other=…#…', source: 'found …' });
    for (const spelling of ['Zm9v%2bYmF6', '%5am9v%2BYmF6', 'Zm9v%252BYmF6', '%25%35%61m9v+YmF6']) {
      const place = `https://example.com/?key=${spelling}`;
      expect(parseMatches([{ ...match, token: 'Zm9v+YmF6', url: place }])).toMatchObject([{ url: '…' }]);
    }
    // A token without a valid spelling in a URL.
    expect(parseMatches([{ ...match, token: 'a token \ud800' }])).toHaveLength(1);
  });

  const { secret } = mintSecret('lk', 'live', randomBytes);
  const each = (write: (code: number) => string) => [...secret].map((c) => write(c.charCodeAt(0))).join('');
  const hex = (code: number) => code.toString(16);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  it.each([
    ['an underscore in percent-encoding', secret.replaceAll('_', '%5f')],
    ['percent-encoding', each((code) => `%${hex(code)}`)],
    ['percent-encoding, twice', encodeURIComponent(each((code) => `%${hex(code)}`))],
    ['the form of escape()', each((code) => `%u00${hex(code)}`)],
    ['decimal references of HTML', each((code) => `&#${code};`)],
    ['a reference for an underscore', secret.replaceAll('_', '&#95;')],
    ['references without a semicolon', each((code) => `&#${code}`)],
    ['hexadecimal references of HTML', each((code) => `&#x${hex(code)};`)],
    ['padded references', each((code) => `&#000${code};`)],
    ['a name of HTML', secret.replaceAll('_', '&lowbar;')],
    ['escapes of JSON', each((code) => `\\u00${hex(code)}`)],
    ['an escape for an underscore', secret.replaceAll('_', '\\u005f')],
    ['escapes of JavaScript', each((code) => `\\x${hex(code)}`)],
    ['escapes with braces', each((code) => `\\u{${hex(code)}}`)],
    ['quoted-printable', each((code) => `=${hex(code).toUpperCase()}`)],
    ['needless backslashes', secret.replaceAll('_', '\\_')],
    ['hexadecimal', Buffer.from(secret).toString('hex')],
    ['base64', base64(secret)],
    ['base64, one byte later', base64(`:${secret}`)],
    ['base64, two bytes later', base64(`u:${secret}`)],
    ['base64 after other digits of base64', `a/b${base64(secret)}`],
    ['base64url', Buffer.from(`${secret}\u00ff\u00fe`).toString('base64url')],
    ['base64 of UTF-16', Buffer.from(secret, 'utf16le').toString('base64')],
    ['base64, twice', base64(base64(secret))],
    ['base64 in percent-encoding in base64', base64(encodeURIComponent(base64(`u:${secret}`)))],
    ['references in escapes', each((code) => `\\u0026#${code};`)],
    ['escapes in percent-encoding', encodeURIComponent(secret.replaceAll('_', '\\u005f'))],
    ['lower case', secret.toLowerCase()],
    ['a part of 15 characters', secret.slice(-20, -5)],
    ['a part in base64', base64(secret.slice(10))],
    ['parts with a tag between them', secret.replace(/(?<=^.{30})/, '<wbr>')],
    ['parts with an invisible character between them', secret.replace(/(?<=^.{30})/, '\u200b')],
    ['parts in colors', secret.replace('live', '\\u001b[31mlive\\u001b[m')],
    ['parts on two lines', secret.replace(/(?<=^.{30})/, '\n  ')],
  ])('keeps no key in %s', (_, spelling) => {
    const url = `https://example.com/a?key=${spelling}`;
    const hidden = expect.stringMatching(/^(?:https:\/\/example\.com\/a+\?(?:key=)?)?…$/);
    expect(parseMatches([{ ...match, token: secret, url }])).toMatchObject([{ url: hidden }]);
    if (spelling.length <= limits.leakTextCharacters) {
      expect(parseMatches([{ ...match, token: secret, source: spelling }])).toMatchObject([{ source: hidden }]);
    }
    const cut = `https://example.com/${'a'.repeat(limits.leakUrlCharacters - 30 - spelling.length / 2)}`;
    expect(parseMatches([{ ...match, token: secret, url: `${cut}?${spelling}` }])).toMatchObject([{ url: hidden }]);
  });

  it.each(['Zm9v%2bYmF6', 'Zm9v&plus;YmF6', 'Zm9v\\u002bYmF6', 'Zm9v&#43;YmF6', base64('Zm9v+YmF6')])(
    'keeps no key of another format, written %s',
    (spelling) => {
      const url = `https://example.com/${spelling}`;
      expect(parseMatches([{ ...match, token: 'Zm9v+YmF6', url }])).toMatchObject([{ url: '…' }]);
    },
  );

  it('keeps no part of a key of which the scanner reports the surroundings too', () => {
    const token = `${'%20'.repeat(30)}%22${secret}%22`;
    const url = `https://example.com/${secret}?part=${secret.slice(-20, -5)}`;
    expect(parseMatches([{ ...match, token, url }])).toMatchObject([{ url: '…' }]);
  });

  it('keeps no other key of our format, in whatever encoding', () => {
    const other = base64(mintSecret('acme', 'test', randomBytes).secret);
    const url = `https://example.com/${encodeURIComponent(other)}`;
    expect(parseMatches([{ ...match, token: secret, url }])).toMatchObject([{ url: '…' }]);
  });

  it.each([
    'https://github.com/acme/shop/blob/0123456789abcdef0123456789abcdef01234567/src/a%20b.ts?plain=1&x=%2F#L1-L9',
    'https://gist.github.com/ada/0123456789abcdef0123456789abcdef#file-deploy_to_production-sh',
    'C:\\builds\\7\\log.txt',
    'https://example.com/?prefix=PREFIX&amp;id=00000000-0000-4000-8000-000000000000',
  ])('keeps a place without a key as it is: %s', (place) => {
    const url = place.replace('PREFIX', secret.slice(0, 16));
    expect(parseMatches(Array(1000).fill({ ...match, token: secret, url }))).toEqual(
      Array(1000).fill({ ...match, token: secret, url }),
    );
  });

  it.each(['live_c', 'mgmt'] as const)(
    'keeps what all keys of the form %s begin with, and no part of the key',
    (words) => {
      const token = mintSecret('lk', words, randomBytes).secret;
      const [prefix, random] = [token.slice(0, -49), token.slice(-49)];
      const stored = (url: string) => parseMatches([{ ...match, token, url }])[0]?.url;
      expect(stored(`https://example.com/${prefix}.txt`)).toBe(`https://example.com/${prefix}.txt`);
      expect(stored(`https://example.com/${random.slice(3, 20)}.txt`)).toBe('…');
    },
  );

  it('decodes only so much, and keeps no place that it has not decoded', () => {
    const url = `https://example.com/${'%25'.repeat(600)}`;
    const places = parseMatches(Array(1000).fill({ ...match, token: secret, url })).map((one) => one.url);
    expect(places[0]).toBe(url);
    expect(places.at(-1)).toBe('…');
    const rest = places.slice(places.indexOf('…'));
    expect(rest).toEqual(rest.map(() => '…'));
  });

  it('looks at 500,000 characters, and keeps no place that it has not looked at, also if there is nothing to decode', () => {
    const url = `https://example.com/${'a'.repeat(1980)}`;
    const places = parseMatches(Array(1000).fill({ ...match, token: secret, url })).map((one) => one.url);
    const kept = places.filter((place) => place !== '…');
    expect(kept).toEqual(kept.map(() => url));
    // Each as it is, and for what it stands for: itself.
    expect(kept.length).toBeGreaterThan(0);
    expect(2 * kept.join('').length).toBeLessThanOrEqual(500_000);
    const long = { ...match, url: `https://example.com/${'a'.repeat(500_000)}` };
    expect(parseMatches([long, match])).toEqual([{ ...long, url: '…' }, match]);
  });

  it.each([null, 1, 'a token', ['a token'], {}])('can have %j instead of a match', (item) => {
    expect(parseMatches([item, match])).toEqual([{ token: '', type: '', url: '', source: '' }, match]);
  });
});

it('answers with the SHA-256 of each token, in order, and never with the token', () => {
  const matches = [match, { ...match, token: 'Zoë' }];
  const answers = answersTo(matches, [true, false]);
  expect(answers).toEqual([
    {
      token_hash: createHash('sha256').update('a token').digest('hex'),
      token_type: 'latchkey',
      label: 'true_positive',
    },
    {
      token_hash: createHash('sha256').update(Buffer.from('Zoë')).digest('hex'),
      token_type: 'latchkey',
      label: 'false_positive',
    },
  ]);
});

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

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
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
    ['null', [match, null], 'matches[1]: must be an object'],
    ['a list in it', [[match]], 'matches[0]: must be an object'],
    ['no token', [{ type: 'a' }], 'matches[0].token: must be a text'],
    ['no type', [{ token: 'a' }], 'matches[0].type: must be a text'],
    ['a number as token', [{ ...match, token: 1 }], 'matches[0].token: must be a text'],
    ['a long token', [{ ...match, token: 't'.repeat(1001) }], 'matches[0].token: must have at most 1000 characters'],
    ['a long URL', [{ ...match, url: 't'.repeat(2001) }], 'matches[0].url: must have at most 2000 characters'],
    ['a long type', [{ ...match, type: 't'.repeat(101) }], 'matches[0].type: must have at most 100 characters'],
    ['a long source', [{ ...match, source: 't'.repeat(101) }], 'matches[0].source: must have at most 100 characters'],
    ['a line break', [{ ...match, url: 'https://a/\n' }], 'matches[0].url: must have no control characters'],
    ['a NUL', [{ ...match, source: 'a\0' }], 'matches[0].source: must have no control characters'],
    ['half of a surrogate pair', [{ ...match, token: '\ud800' }], 'matches[0].token: must have no control characters'],
  ])('must not have %s', (_, body, message) => {
    expect(() => parseMatches(body)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });

  it('is rejected with a short error that repeats none of its values', () => {
    const wrong = Array.from({ length: 1000 }, () => ({ token: 'secret\n', type: 'secret\n', url: 'secret\n' }));
    expect(() => parseMatches(wrong)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
    expect(() => parseMatches(wrong)).toThrow(
      expect.objectContaining({ fields: expect.objectContaining({ length: 100 }) }),
    );
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

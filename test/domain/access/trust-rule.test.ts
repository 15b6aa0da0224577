// SECURITY.md: A trusted issuer
/** What a rule takes for the value of a claim. */
import { expect, it } from 'vitest';
import { mismatch, type TrustRule } from '../../../src/domain/access/trust-rule.ts';

const rule = (repository_id: string): TrustRule => ({
  id: 'rule',
  teamId: 'team',
  name: 'A rule',
  issuer: 'https://issuer.example',
  audience: 'latchkey',
  claims: { repository_id },
  permissions: ['view_team'],
  once: false,
  createdAt: new Date(0),
  createdBy: 'ada',
});

it.each([
  ['9007199254740992', '9007199254740993'],
  ['1e+21', '1000000000000000000001'],
])('a number that loses digits when it is read is no claim: %s for %s', (expected, sent) => {
  const token = JSON.parse(`{ "aud": "latchkey", "repository_id": ${sent} }`);
  expect(mismatch(rule(expected), token)).toContain('repository_id');
});

it('a number that does not lose digits is its decimal text', () => {
  expect(mismatch(rule('9007199254740991'), { aud: 'latchkey', repository_id: 9007199254740991 })).toBeNull();
});

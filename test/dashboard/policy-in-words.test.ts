/** Policies in words. */
import { expect, it } from 'vitest';
import { rulesInWords } from '../../src/dashboard/policy/policy-in-words.ts';
import { durationText } from '../../src/domain/policy/duration-text.ts';
import { noRules } from '../../src/domain/policy/key-policy.ts';

it('a duration is in its largest whole unit, which has an s unless it is one', () => {
  const seconds = [1, 60, 90, 120, 3600, 7200, 86_400, 172_800];
  const texts = ['1 second', '1 minute', '90 seconds', '2 minutes', '1 hour', '2 hours', '1 day', '2 days'];
  expect(seconds.map(durationText)).toEqual(texts);
});

it('the highest rate limit is in words like every rate limit', () => {
  const limitedTo = (windowSeconds: number) => rulesInWords({ ...noRules, maxRateLimit: { limit: 5, windowSeconds } });
  const text = (rate: string) => [{ about: 'rateLimit', text: `It has a rate limit of at most ${rate}.` }];
  expect([60, 86_400].map(limitedTo)).toEqual([text('5 per minute'), text('5 per day')]);
});

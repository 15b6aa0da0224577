import { expect, it } from 'vitest';
import { Pace } from '../../src/admission/pace.ts';

it('a call starts after at most one waiting call of another holder, however many of these wait', async () => {
  const pace = new Pace();
  const started: string[] = [];
  const quiet = new Promise<void>((resolve) => {
    for (let i = 0; i < 100; i += 1) pace.begin('noisy', () => started.push('noisy'));
    pace.begin('quiet', () => {
      started.push('quiet');
      resolve();
    });
  });
  await quiet;
  expect(started).toEqual(['noisy', 'quiet']);
});

import { expect, test } from 'vitest';
import { logVerifierErrors } from '../../src/client/middleware/verifier-error-log.ts';
import { VerifierUnavailableError } from '../../src/client/verdict.ts';

const error = (message: string) => new VerifierUnavailableError(message);

test('writes the first error at once, then at most one per minute, with the number of the others, also if the clock is set back', () => {
  const lines: string[] = [];
  let time = 0;
  const log = logVerifierErrors(
    (line) => lines.push(line),
    () => time,
  );
  log(error('first'));
  for (time = 1; time < 60_000; time += 1000) log(error('others'));
  expect(lines).toEqual(['@latchkey/client: a request got 503, because its key could not be verified. first']);
  time = 60_000;
  log(error('second'));
  time = -200_000;
  log(error('third'));
  expect(lines.slice(1)).toEqual([
    '@latchkey/client: a request got 503 (and 60 others since the last message), because its key could not be verified. second',
    '@latchkey/client: a request got 503, because its key could not be verified. third',
  ]);
});

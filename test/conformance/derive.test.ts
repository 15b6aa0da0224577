// SECURITY.md: A key; A derived token
/** The TypeScript client derives tokens as the vectors say. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deriveToken } from '../../src/client/derive.ts';
import { type StandIn, startStandIn } from '../support/stand-in-verifier.ts';
import { giveAnswer } from './answers.ts';
import { deriveVectors } from './vectors.ts';

let standIn: StandIn;
beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(() => standIn.close());

test.each(deriveVectors)('$name', async ({ input: { derivation, answer }, expected }) => {
  const url = await giveAnswer(standIn, answer);
  const wanted = { ...derivation, expiresAt: new Date(derivation.expiresAt) };
  const [outcome] = await Promise.allSettled([deriveToken(wanted, { url, timeoutMs: 20_000 })]);
  const calls = standIn.calls.map(({ asked, request }) => {
    const { expiresAt, ...others } = asked as unknown as { readonly expiresAt: string };
    expect([request.url, Date.parse(expiresAt)]).toEqual(['/v1/derive', wanted.expiresAt.getTime()]);
    return others;
  });
  expect(calls).toEqual([expected.call]);
  if (outcome.status === 'fulfilled') {
    const { token, expiresAt } = outcome.value;
    expect({ token, at: expiresAt.getTime() }).toEqual({
      token: expected.token,
      at: Date.parse(expected.expiresAt ?? ''),
    });
    return;
  }
  const { kind, status = null, retryAfterSeconds = null } = expected.error ?? {};
  const name = kind === 'rejected' ? 'VerifierRejectedError' : 'VerifierUnavailableError';
  expect(outcome.reason).toMatchObject({ name, status });
  if (kind === 'unavailable') expect(outcome.reason).toMatchObject({ retryAfterSeconds });
  expect(String(outcome.reason)).not.toContain(derivation.key);
});

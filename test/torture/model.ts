/** The rules of verdicts, implemented a second time, independently of the service. */
import type { Circumstances, ClockOffset, KeyState, Verification } from './history.ts';

/** Date.now() has whole milliseconds only, and truncates. */
const clockGrainMs = 1;

/** Returns whether this state explains the answer at any time during the verification. */
export function explains(state: KeyState, { started, ended, circumstances, answer }: Verification, clock: ClockOffset) {
  if (answer.name !== undefined && answer.name !== state.name) return false;
  if (answer.expiresAt !== undefined && answer.expiresAt !== state.expiresAt) return false;
  if (answer.secret !== undefined && (answer.secret === 'current') !== (circumstances.secret === state.secret))
    return false;
  const { expiresAt } = state;
  const mayBeExpired = expiresAt !== null && expiresAt <= ended + clock.most + clockGrainMs;
  const mayBeUnexpired = expiresAt === null || expiresAt > started + clock.least - clockGrainMs;
  return (
    (mayBeExpired && codeOf(state, circumstances, true) === answer.code) ||
    (mayBeUnexpired && codeOf(state, circumstances, false) === answer.code)
  );
}

function codeOf(state: KeyState, circumstances: Circumstances, expired: boolean): string {
  const { secret, env, source, scopes, signedWith } = circumstances;
  if (state.revoked) return 'REVOKED';
  if (secret < state.secret - (state.overlap ? 1 : 0)) return 'ROTATED';
  if (state.disabled) return 'DISABLED';
  if (expired) return 'EXPIRED';
  if (env !== null && env !== state.env) return 'WRONG_ENVIRONMENT';
  if (state.allowed.length > 0 && (source === null || !state.allowed.some((entry) => contains(entry, source)))) {
    return 'SOURCE_NOT_ALLOWED';
  }
  if (!scopes.every((scope) => state.scopes.includes(scope))) return 'INSUFFICIENT_SCOPE';
  if (state.signing === null) return 'VALID';
  if (signedWith === null) return 'SIGNATURE_REQUIRED';
  return signedWith === state.signing ? 'VALID' : 'SIGNATURE_INVALID';
}

function contains(entry: string, source: string): boolean {
  return entry.endsWith('.0/24') ? source.startsWith(entry.slice(0, -'0/24'.length)) : entry === source;
}

/** The rules of verdicts, implemented a second time, independently of the service. */
import type { Circumstances, KeyState, Verdict } from './format.ts';

/** Returns all parts of the verdict for a key in this state. `expired`: whether its time is over. */
export function verdictOf(state: KeyState, request: Circumstances, expired: boolean): Required<Verdict> {
  const code = codeOf(state, request, expired);
  return {
    accepted: code === 'VALID',
    code,
    name: state.name,
    secret: request.secret === state.secret ? 'current' : 'previous',
    expiresAt: state.expiresAt,
  };
}

/** The first rule that applies. */
function codeOf(state: KeyState, request: Circumstances, expired: boolean): string {
  if (request.secret > state.secret) return 'NOT_FOUND';
  if (state.revoked) return 'REVOKED';
  if (state.frozen === true) return 'FROZEN';
  if (request.secret < state.secret - (state.overlap ? 1 : 0)) return 'ROTATED';
  if (state.disabled) return 'DISABLED';
  if (expired) return 'EXPIRED';
  if (request.env !== null && request.env !== state.env) return 'WRONG_ENVIRONMENT';
  if (!isAllowed(state.allowed, request.source)) return 'SOURCE_NOT_ALLOWED';
  if (!request.scopes.every((scope) => state.scopes.includes(scope))) return 'INSUFFICIENT_SCOPE';
  if (state.signing === null) return 'VALID';
  if (request.signedWith === null) return 'SIGNATURE_REQUIRED';
  return request.signedWith === state.signing ? 'VALID' : 'SIGNATURE_INVALID';
}

function isAllowed(allowed: readonly string[], source: string | null): boolean {
  return allowed.length === 0 || (source !== null && allowed.some((entry) => contains(entry, source)));
}

function contains(entry: string, source: string): boolean {
  return entry.endsWith('.0/24') ? source.startsWith(entry.slice(0, -'0/24'.length)) : entry === source;
}

const verdictParts = ['accepted', 'code', 'name', 'secret', 'expiresAt'] as const;
export type VerdictPart = (typeof verdictParts)[number];

export function partsOf(verdict: Verdict): readonly VerdictPart[] {
  return verdictParts.filter((part) => verdict[part] !== undefined);
}

/** Returns these parts as a text. Two verdicts agree in them if and only if their texts are equal. */
export function textOf(verdict: Verdict, parts: readonly VerdictPart[]): string {
  return JSON.stringify(parts.map((part) => verdict[part]));
}

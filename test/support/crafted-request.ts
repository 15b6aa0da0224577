/**
 * A signer for tests that shares no code with the service. It computes the correct MAC of any text, so that a rejection
 * is caused by the rule under test and not by the MAC.
 */
import { createHash, createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { type SignatureVerdict, verifySignature } from '../../src/domain/signature/http-signature.ts';
import type { SignedRequest } from '../../src/domain/signature/signed-request.ts';

export const keyId = '0197a2b4-6c1e-7d3f-8a55-2f9b1c0d4e6a';
export const signingSecret = '8f'.repeat(16) + '3a'.repeat(16);
export const secret = Buffer.from(signingSecret, 'hex');
export const now = new Date('2026-03-01T12:00:00.250Z');
export const created = Date.parse('2026-03-01T12:00:00Z') / 1000;
export const nonce = 'n0nce-of_22-characters';

export const target = '"@method" "@authority" "@path" "@query"';

export interface Parameters {
  readonly created: string;
  readonly expires: string;
  readonly nonce: string;
  readonly keyid: string;
  readonly alg: string;
  readonly tag: string;
}

/** The parameters as they are serialized; pass null to omit one. */
export function parameters(changes: Partial<Record<keyof Parameters, string | null>> = {}): string {
  const all = {
    created: String(created),
    expires: String(created + 60),
    nonce: `"${nonce}"`,
    keyid: `"${keyId}"`,
    alg: '"hmac-sha256"',
    tag: '"latchkey-v1"',
    ...changes,
  };
  return Object.entries(all)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `;${name}=${value}`)
    .join('');
}

export interface Draft {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[]>;
  /** The inner list and its parameters, which follow the label. */
  readonly input: string;
  readonly label: string;
  /** The lines of the signature base before the last one. */
  readonly lines: readonly string[];
}

/** GET https://api.example.com/orders?limit=5, signed as the profile says, with whatever is to be different. */
export function craft(changes: Partial<Draft> = {}): SignedRequest & { headers: Record<string, string | string[]> } {
  const draft: Draft = {
    method: 'GET',
    url: 'https://api.example.com/orders?limit=5',
    headers: {},
    input: `(${target})${parameters()}`,
    label: 'sig1',
    lines: lines(),
    ...changes,
  };
  const base = [...draft.lines, `"@signature-params": ${draft.input}`].join('\n');
  return {
    method: draft.method,
    url: draft.url,
    headers: {
      ...draft.headers,
      'signature-input': `${draft.label}=${draft.input}`,
      signature: `${draft.label}=:${mac(base)}:`,
    },
  };
}

/** The covered values of the request that `craft` makes, or others. */
export function lines(changes: { method?: string; authority?: string; path?: string; query?: string } = {}): string[] {
  const { method = 'GET', authority = 'api.example.com', path = '/orders', query = '?limit=5' } = changes;
  return [`"@method": ${method}`, `"@authority": ${authority}`, `"@path": ${path}`, `"@query": ${query}`];
}

export const body = '{"amount":5}';

/** The same with a body and its digest, covered. */
export function craftWithBody(digest = digestOf(body), changes: Partial<Draft> = {}): ReturnType<typeof craft> {
  return craft({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-digest': digest },
    input: `(${target} "content-digest")${parameters()}`,
    lines: [...lines({ method: 'POST' }), `"content-digest": ${digest}`],
    ...changes,
  });
}

export function mac(base: string): string {
  return createHmac('sha256', secret).update(base).digest('base64');
}

export function digestOf(text: string | Uint8Array, algorithm: 'sha-256' | 'sha-512' = 'sha-256'): string {
  return `${algorithm}=:${createHash(algorithm.replace('-', '')).update(text).digest('base64')}:`;
}

/** From then on the signature that `craft` makes is rejected: 60 seconds and the allowed skew. */
export const expiresAt = new Date((created + 60 + 5) * 1000);
export const valid: SignatureVerdict = { outcome: 'valid', nonce, expiresAt };
export const wrongMac = 'The signature must be the HMAC-SHA-256 of the signature base with the signing secret';
const anythingElse = /^(?!The signature must be the HMAC)/;

export function verify(request: SignedRequest, at = now): SignatureVerdict {
  return verifySignature({ request, keyId, secret, now: at });
}

/** Without `reason`, any reason is accepted, except a wrong MAC. */
export function expectInvalid(request: SignedRequest, reason: RegExp | string = anythingElse): void {
  expect(verify(request)).toMatchObject({ outcome: 'SIGNATURE_INVALID', reason: expect.stringMatching(reason) });
}

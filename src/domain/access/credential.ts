import { LatchkeyError } from '../errors.ts';
import type { Session } from '../key/permission.ts';

/**
 * What a program authenticates with, instead of a session. No instance caches it: each call reads its row, and each change
 * reads it again in its own transaction. So nothing is committed after a revocation was answered.
 */
export type Credential =
  | { readonly kind: 'MANAGEMENT_KEY'; readonly id: string; readonly secretVersion: number }
  | { readonly kind: 'TRUST_RULE'; readonly id: string };

/**
 * Whose operations and places are counted together. A session can have any subject, also the id of a management key, and the
 * issuer of a workload chooses the subject of its token.
 */
export function holderOf({
  session,
  credential,
}: {
  readonly session: Session;
  readonly credential: Credential | null;
}) {
  return credential === null ? session.subject : `${credential.kind} ${credential.id}`;
}

/** Returns the error for a credential that is not accepted anymore, also if that has changed during the call. */
export function credentialEnded({ kind }: Pick<Credential, 'kind'>): LatchkeyError {
  const what = kind === 'MANAGEMENT_KEY' ? 'The management key is' : 'The trust rule of this token is';
  return new LatchkeyError('UNAUTHENTICATED', `${what} not accepted anymore.`);
}

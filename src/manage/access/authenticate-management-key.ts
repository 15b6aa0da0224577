import type { Credential } from '../../domain/access/credential.ts';
import { fenceable, type ManagementKey } from '../../domain/access/management-key.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { frozenUntil } from '../../domain/fence/fence.ts';
import { hasPassed } from '../../domain/moment.ts';
import { prefixOfSecret } from '../../domain/secret/secret.ts';
import { digestsOf } from '../../domain/secret/secret-digest.ts';
import { openSigningSecret } from '../../domain/secret/signing-secret.ts';
import { verifySignature } from '../../domain/signature/http-signature.ts';
import type { SignedRequest } from '../../domain/signature/signed-request.ts';
import { parseIpAddress } from '../../domain/source/ip-address.ts';
import { matchSource } from '../../domain/source/source-match.ts';
import { verdict } from '../../domain/verdict/checks.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import type { Caller, Management } from '../management.ts';

export interface PresentedManagementKey extends Pick<Caller, 'source' | 'requestId' | 'now'> {
  readonly secret: string;
  /** The body of a request that is signed is compared by the caller, once it has arrived. */
  readonly request: SignedRequest;
  /** Limits the calls of each key. */
  readonly calls: CallLimit;
}

/** Both throw RATE_LIMITED. */
export interface CallLimit {
  /** Called before the checks of a call: above the limit, it costs no more than the read of its row. */
  readonly check: (credential: Credential) => void;
  /** Counts a call that was accepted, before its nonce is stored. Others must not use up the limit of the key. */
  readonly count: (credential: Credential) => void;
}

export interface AuthenticatedProgram {
  readonly caller: Caller;
  /** Whether the request was signed: then its body must have its `Content-Digest`. */
  readonly isSigned: boolean;
}

type ManagementCredential = Extract<Credential, { readonly kind: 'MANAGEMENT_KEY' }>;
type Rejected = Exclude<VerdictCode, 'VALID'>;

const reasons: Readonly<Partial<Record<Rejected, string>>> = {
  REVOKED: 'The management key is revoked.',
  FROZEN: 'The management key is frozen: a fence of its team covers it.',
  ROTATED: 'The management key was rotated. Use its new secret.',
  EXPIRED: 'The management key has expired.',
  SOURCE_NOT_ALLOWED: 'The management key is not accepted from this address.',
  SIGNATURE_REQUIRED: 'Calls with this management key must be signed (RFC 9421).',
  SIGNATURE_EXPIRED: 'The signature of the call has expired.',
  SIGNATURE_REPLAYED: 'The signature of the call was used before.',
};

/**
 * Returns the caller that a management key authenticates, with the permissions of the key. Reads its row for each call, so
 * that a revocation counts from the next call on, at every instance. Throws UNAUTHENTICATED with the reason, RATE_LIMITED,
 * UNAVAILABLE.
 */
export async function authenticateManagementKey(
  management: Management,
  presented: PresentedManagementKey,
): Promise<AuthenticatedProgram> {
  const { secret, source, requestId, now } = presented;
  if (prefixOfSecret(secret) === null) throw rejected('The management key has a typo: its checksum is wrong.');
  const digests = digestsOf(secret, management.peppers);
  const read = () => management.store.managementKeys.findByDigests(digests);
  let key = await read();
  if (key === null) throw rejected('There is no such management key.');
  const versionOf = ({ digest, secretVersion }: ManagementKey) =>
    digests.includes(digest) ? secretVersion : secretVersion - 1;
  const address = source === null ? null : parseIpAddress(source);
  const count = (of: ManagementKey, code: VerdictCode) => {
    const counted = { id: of.id, teamId: of.teamId, presentedVersion: versionOf(of) };
    management.credentialUse.record(counted, address, code, now);
  };
  const credential: ManagementCredential = { kind: 'MANAGEMENT_KEY', id: key.id, secretVersion: versionOf(key) };
  presented.calls.check(credential);
  const { code, reason, waited } = await judge(management, key, credential, presented);
  if (code !== 'VALID') {
    count(key, code);
    throw rejected(reason);
  }
  // DNS and the nonce took time, and the key may have been revoked meanwhile.
  if (waited) key = await read();
  if (key === null || key.revokedAt !== null) throw rejected('The management key is revoked.');
  if (waited && !hasPassed(await frozenUntilOf(management, key), now.getTime())) throw rejected(reasons.FROZEN ?? '');
  count(key, 'VALID');
  const { id, teamId, permissions, signingEnvelope } = key;
  return {
    isSigned: signingEnvelope !== null,
    caller: {
      session: { subject: id, teams: new Map([[teamId, new Set(permissions)]]), teamNames: new Map() },
      actorKind: 'MANAGEMENT_KEY',
      credential: { ...credential, secretVersion: versionOf(key) },
      source,
      requestId,
      now,
    },
  };
}

/** Makes the checks of a verification, in their order. */
async function judge(
  management: Management,
  key: ManagementKey,
  credential: ManagementCredential,
  { source, request, now, calls }: PresentedManagementKey,
) {
  const { id, teamId, allowedIps, expiresAt, revokedAt, secretVersion, previousExpiresAt } = key;
  const frozen = await frozenUntilOf(management, key);
  const address = source === null ? undefined : (parseIpAddress(source) ?? undefined);
  const found = await matchSource(allowedIps, address, (host) => management.resolveHost(host, teamId));
  const signature = signatureOf(management, key, request, now);
  const isCurrent = credential.secretVersion === secretVersion;
  const code = verdict(
    {
      env: 'live',
      expiresAt: expiresAt.getTime(),
      revoked: revokedAt !== null,
      disabled: false,
      frozenUntil: frozen,
      secretExpiresAt: isCurrent ? null : (previousExpiresAt?.getTime() ?? Number.NEGATIVE_INFINITY),
    },
    {
      now: now.getTime(),
      env: undefined,
      sourceAllowed: () => found.kind === 'unrestricted' || found.kind === 'listed',
      scopesGranted: () => true,
      signature: () => signature?.outcome ?? 'valid',
    },
  );
  if (code === 'VALID') calls.count(credential);
  if (code === 'VALID' && signature?.outcome === 'valid') {
    const { nonce, expiresAt: until } = signature;
    const isNew = await management.claimNonce({ keyId: id, nonce, expiresAt: until });
    return outcome(isNew ? 'VALID' : 'SIGNATURE_REPLAYED', true);
  }
  if (code === 'SIGNATURE_INVALID' && signature !== null && signature.outcome !== 'valid') {
    return { code, reason: `The signature of the call is not valid: ${signature.reason}.`, waited: false };
  }
  return outcome(code, allowedIps.length > 0);
}

/** Reads the fences for each call, as its row. */
export async function frozenUntilOf(
  { store }: Management,
  program: Pick<ManagementKey, 'teamId' | 'createdBy' | 'createdAt'>,
): Promise<number> {
  return frozenUntil(await store.fences.list(program.teamId), fenceable(program));
}

function outcome(code: VerdictCode, waited: boolean) {
  const reason = code === 'VALID' ? '' : (reasons[code] ?? 'The management key is not accepted.');
  return { code, reason, waited };
}

function signatureOf({ signingKeks }: Management, key: ManagementKey, request: SignedRequest, now: Date) {
  const { id, signingEnvelope, signingVersion } = key;
  if (signingEnvelope === null) return null;
  const secret = openSigningSecret(signingEnvelope, { keyId: id, version: signingVersion }, signingKeks);
  return verifySignature({ request, keyId: id, secret, now });
}

function rejected(reason: string): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', reason);
}

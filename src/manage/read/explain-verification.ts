import { type DerivedToken, openDerived } from '../../domain/derived/derived-token.ts';
import { narrowed } from '../../domain/derived/narrowed.ts';
import { badInput } from '../../domain/errors.ts';
import { covers, frozenUntil } from '../../domain/fence/fence.ts';
import type { KeyEnv, StoredKey } from '../../domain/key/api-key.ts';
import { isPrefix } from '../../domain/key/key-prefix.ts';
import { hasScopes } from '../../domain/key/scope.ts';
import { settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { firstImport } from '../../domain/secret/first-import.ts';
import { looksLikeSessionToken } from '../../domain/secret/other-credentials.ts';
import { secretEnd } from '../../domain/secret/rotated-secret.ts';
import { classify } from '../../domain/secret/secret.ts';
import { digestsOf } from '../../domain/secret/secret-digest.ts';
import type { SignatureExplanation } from '../../domain/signature/signature-checks.ts';
import { type IpAddress, ipAddressExpected, parseIpAddress } from '../../domain/source/ip-address.ts';
import { matchSource } from '../../domain/source/source-match.ts';
import { verdict } from '../../domain/verdict/checks.ts';
import {
  type ExplainedCheck,
  type ExplainedRequest,
  explainChecks,
  type LookupInput,
} from '../../domain/verdict/explanations.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { FoundKey } from '../../store/rows/keys.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { explainSignature, type SignedRequestInput } from './explain-signature.ts';

export interface ExplainVerificationInput {
  readonly teamId: string;
  readonly secret?: string | null | undefined;
  readonly prefix?: string | null | undefined;
  readonly sourceIp?: string | null | undefined;
  readonly env?: KeyEnv | null | undefined;
  /** The scopes that the request would need. */
  readonly scopes?: readonly string[] | null | undefined;
  readonly request?: SignedRequestInput | null | undefined;
}

export interface VerificationExplanation {
  readonly code: VerdictCode;
  readonly apiKey: StoredKey | null;
  readonly checks: readonly ExplainedCheck[];
  /** Null if there is no key or no request, or if the key requires no signature. */
  readonly signature: SignatureExplanation | null;
}

/**
 * Explains the verdict that the data plane would return. Changes neither usage nor nonces. That another team imported the
 * key too, by its other digest, is told only if the team itself has a key that matches the secret. Needs `view_team`. Throws
 * FORBIDDEN, BAD_USER_INPUT (secret, prefix, sourceIp, scopes), UNAVAILABLE.
 */
export async function explainVerification(
  management: Management,
  caller: Caller,
  input: ExplainVerificationInput,
): Promise<VerificationExplanation> {
  authorizeTeam(caller, input.teamId, 'view_team');
  const source = parse(input);
  const lookup = lookupInput(input);
  const keys = await findKeys(management, input, lookup);
  const match = matchForTeam(keys, input.teamId);
  if (match === null) {
    const isMalformed = lookup.by === 'secret' && lookup.format !== 'valid';
    return { code: isMalformed ? 'MALFORMED' : 'NOT_FOUND', ...noKey, checks: explainChecks(lookup, 'none') };
  }
  if (match?.key.teamId !== input.teamId) {
    return { code: 'NOT_FOUND', ...noKey, checks: explainChecks(lookup, 'shared import') };
  }

  if (match.key.tripwire) {
    const { key } = match;
    return { code: 'NOT_FOUND', apiKey: key, signature: null, checks: explainChecks(lookup, { tripwire: key }) };
  }
  const token = input.secret == null ? null : openDerived(input.secret, management.peppers);
  const { version } = match;
  const key = token === null ? match.key : withToken(match.key, token);
  const { signingEnvelope } = key;
  const { now } = caller;
  const request = {
    now,
    env: input.env ?? undefined,
    source: await matchSource(key.allowedIps, source, (host) => management.resolveHost(host, key.teamId)),
    scopes: input.scopes ?? [],
    secretExpiresAt: secretEnd(key, version),
    fences: (await management.store.fences.list(key.teamId)).filter((fence) => covers(fence, fenceable(key))),
    signature:
      input.request == null || signingEnvelope === null
        ? null
        : await explainSignature(management, { ...key, signingEnvelope }, input.request, now),
  };
  const { signature } = request;
  return { code: codeOf(key, request), apiKey: match.key, checks: explainChecks(lookup, { key, request }), signature };
}

const noKey = { apiKey: null, signature: null };

function codeOf(key: StoredKey, request: ExplainedRequest): VerdictCode {
  const { now, env, source, scopes, secretExpiresAt, fences, signature } = request;
  const outcome = key.signingEnvelope === null ? 'VALID' : (signature?.outcome ?? 'SIGNATURE_REQUIRED');
  const isReplayed = outcome === 'SIGNATURE_REPLAYED';
  const judged = {
    env: key.env,
    expiresAt: key.expiresAt?.getTime() ?? null,
    revoked: key.revokedAt !== null,
    disabled: key.disabledAt !== null,
    frozenUntil: frozenUntil(fences, fenceable(key)),
    secretExpiresAt,
  };
  const code = verdict(judged, {
    now: now.getTime(),
    env,
    sourceAllowed: () => source.kind === 'unrestricted' || source.kind === 'listed',
    scopesGranted: () => hasScopes(key.scopes, scopes),
    signature: () => (outcome === 'VALID' || isReplayed ? 'valid' : outcome),
  });
  return code === 'VALID' && isReplayed ? 'SIGNATURE_REPLAYED' : code;
}

/** Returns what a derived token leaves of its key, which is checked like a key with these settings. */
function withToken(key: StoredKey, token: DerivedToken): StoredKey {
  const before = { ...key, expiresAt: key.expiresAt?.getTime() ?? null, digestVersion: key.secretVersion };
  const { expiresAt, scopes, allowedIps } = narrowed(before, token);
  return { ...key, scopes, allowedIps, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}

const fenceable = (key: StoredKey) => ({ ...key, createdAt: key.createdAt.getTime() });

/** Checks the input and returns the source. Errors never quote the input, which may be a secret in the wrong field. */
function parse({ secret, prefix, sourceIp, scopes }: ExplainVerificationInput): IpAddress | undefined {
  const hasSecret = secret != null;
  const parsed = parseFields({
    secret:
      hasSecret || prefix != null ? parseOptional(secret, parseSecret) : rejected('is required if there is no prefix'),
    prefix: parseOptional(prefix, (text) =>
      hasSecret ? rejected('must not be given together with a secret') : parsePrefix(text),
    ),
    sourceIp: parseOptional(sourceIp, parseSource),
    scopes: settings.scopes.parse(scopes ?? []),
  });
  return parsed.sourceIp ?? undefined;
}

function parseSecret(secret: string): Parsed<string> {
  if (secret.length <= limits.presentedCharacters) return accepted(secret);
  return rejected(`must have at most ${limits.presentedCharacters} characters`);
}

function parsePrefix(prefix: string): Parsed<string> {
  return isPrefix(prefix)
    ? accepted(prefix)
    : rejected('must be the first 4 to 24 characters of a key, such as lk_live_4fJx81Qz');
}

function parseSource(sourceIp: string): Parsed<IpAddress> {
  const address = parseIpAddress(sourceIp);
  return address === null ? rejected(ipAddressExpected) : accepted(address);
}

function lookupInput({ secret }: ExplainVerificationInput): LookupInput {
  if (secret == null) return { by: 'prefix' };
  return { by: 'secret', format: looksLikeSessionToken(secret) ? 'session token' : classify(secret) };
}

async function findKeys(
  { store, peppers }: Management,
  { teamId, secret, prefix }: ExplainVerificationInput,
  lookup: LookupInput,
): Promise<readonly FoundKey[]> {
  if (lookup.by === 'prefix') {
    if (prefix == null) return [];
    const found = await store.keys.findByPrefix(teamId, prefix);
    if (found.length > 1) throw badInput([{ field: 'prefix', message: 'is that of several keys: give the secret' }]);
    return found;
  }
  if (secret == null || ['wrong shape', 'wrong checksum', 'management key'].includes(lookup.format)) return [];
  const token = openDerived(secret, peppers);
  if (token === null) return await store.keys.findByDigests(digestsOf(secret, peppers));
  const key = await store.keys.find(token.keyId);
  return key === null ? [] : [{ key, version: token.secretVersion }];
}

/** Returns the key that decides in verification, if any, maybe another team's; null if no key belongs to the team. */
function matchForTeam(keys: readonly FoundKey[], teamId: string) {
  if (!keys.some(({ key }) => key.teamId === teamId)) return null;
  const [first, ...more] = keys.map(({ key, version }) => ({
    ...key,
    revoked: key.revokedAt !== null,
    key,
    version,
  }));
  return first === undefined ? null : firstImport([first, ...more]);
}

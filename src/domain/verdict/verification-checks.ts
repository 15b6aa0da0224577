/** Explains a verdict to people, with facts about the key and the request, and never a secret. */
import type { ApiKey, KeyEnv } from '../key/api-key.ts';
import type { SecretFormat } from '../secret/secret.ts';
import { sessionTokenHint } from '../secret/session-token-shape.ts';
import type { SignatureExplanation } from '../signature/signature-checks.ts';
import { formatIpAddress } from '../source/ip-address.ts';
import type { ResolvedHost, SourceStanding } from '../source/source-standing.ts';

export type VerificationCheckName =
  | 'FORM'
  | 'EXISTENCE'
  | 'REVOCATION'
  | 'ROTATION'
  | 'ENABLEMENT'
  | 'EXPIRY'
  | 'ENVIRONMENT'
  | 'SOURCE'
  | 'SCOPES'
  | 'SIGNATURE'
  | 'RATE_LIMIT';

export interface VerificationCheck {
  readonly name: VerificationCheckName;
  readonly outcome: 'PASSED' | 'FAILED' | 'SKIPPED';
  readonly explanation: string;
}

/** How a key was looked up, and the format of a secret. Only imported keys can be `foreign` or `session token`. */
export type Presented =
  | { readonly by: 'prefix' }
  | { readonly by: 'secret'; readonly form: SecretFormat | 'session token' };

export interface KeyCircumstances {
  readonly now: Date;
  readonly env: KeyEnv | undefined;
  readonly source: SourceStanding;
  /** The scopes that the request needs. */
  readonly scopes: readonly string[];
  /** Null for the current secret; for an earlier one, when it stops working, in milliseconds since the epoch. */
  readonly secretExpiresAt: number | null;
  /** Null where the key needs no signature, or no request was given. */
  readonly signature: SignatureExplanation | null;
}

const wrongShape = 'It does not have the format of a key: characters are missing, added or not allowed.';

const onTheKey = [
  'REVOCATION',
  'ROTATION',
  'ENABLEMENT',
  'EXPIRY',
  'ENVIRONMENT',
  'SOURCE',
  'SCOPES',
  'SIGNATURE',
  'RATE_LIMIT',
] as const;

/** The checks if no key matches. */
export function checksWithoutKey(presented: Presented): VerificationCheck[] {
  return [
    checkForm(presented, false),
    checkExistence(presented),
    ...onTheKey.map((name) => skipped(name, 'There is no key to check.')),
  ];
}

/** The checks if a key of the team and a key of another team match. */
export function checksInConflict(presented: Presented): VerificationCheck[] {
  return [
    checkForm(presented, true),
    failed(
      'EXISTENCE',
      'An imported key of the team matches, but other keys match too, so all are rejected. Ask the operator, who can release the others.',
    ),
    ...onTheKey.map((name) => skipped(name, 'All matching keys are rejected.')),
  ];
}

export function checksOfKey(presented: Presented, key: ApiKey, circumstances: KeyCircumstances): VerificationCheck[] {
  return [
    checkForm(presented, true),
    passed('EXISTENCE', `It is the team's key "${key.name}", created at ${key.createdAt.toISOString()}.`),
    checkRevocation(key),
    checkRotation(key, circumstances),
    checkEnablement(key),
    checkExpiry(key, circumstances.now),
    checkEnvironment(key, circumstances.env),
    checkSource(key, circumstances.source),
    checkScopes(key, circumstances.scopes),
    checkSignature(key, circumstances.signature),
    checkRateLimit(key),
  ];
}

function checkForm(presented: Presented, found: boolean): VerificationCheck {
  if (presented.by === 'prefix') {
    return skipped('FORM', 'A prefix was given, and only a complete key has a format to check.');
  }
  switch (presented.form) {
    case 'good':
      return passed('FORM', 'It has the format of a key, and its checksum is correct.');
    case 'foreign':
    case 'session token':
      if (found) return passed('FORM', 'It was imported, so it has another format than the keys created here.');
      return failed('FORM', presented.form === 'foreign' ? wrongShape : sessionTokenHint);
    case 'wrong shape':
      return failed('FORM', wrongShape);
    case 'wrong checksum':
      return failed('FORM', 'It looks like a key, but its checksum is wrong: at least one character differs.');
  }
}

/** The check if no key matches. */
function checkExistence(presented: Presented): VerificationCheck {
  if (presented.by === 'prefix' || presented.form === 'good') {
    return failed('EXISTENCE', `The team has no key with this ${presented.by}.`);
  }
  if (presented.form === 'foreign' || presented.form === 'session token')
    return failed('EXISTENCE', 'It is not an imported key of the team either.');
  return skipped('EXISTENCE', 'Text without the format of a key is not looked up.');
}

function checkRevocation({ revokedAt }: ApiKey): VerificationCheck {
  if (revokedAt === null) return passed('REVOCATION', 'It has not been revoked.');
  return failed('REVOCATION', `It was revoked at ${revokedAt.toISOString()}, permanently.`);
}

function checkRotation({ rotatedAt }: ApiKey, { now, secretExpiresAt }: KeyCircumstances): VerificationCheck {
  if (secretExpiresAt === null) return passed('ROTATION', 'It is the current secret of the key.');
  const rotated = `The secret was rotated${rotatedAt === null ? '' : ` at ${rotatedAt.toISOString()}`}`;
  return secretExpiresAt > now.getTime()
    ? passed('ROTATION', `${rotated}, and is accepted until ${new Date(secretExpiresAt).toISOString()}.`)
    : failed('ROTATION', `${rotated}, and is not accepted anymore. Use the current secret of the key.`);
}

function checkEnablement({ disabledAt }: ApiKey): VerificationCheck {
  if (disabledAt === null) return passed('ENABLEMENT', 'It is enabled.');
  return failed('ENABLEMENT', `It was disabled at ${disabledAt.toISOString()}.`);
}

function checkScopes({ scopes }: ApiKey, required: readonly string[]): VerificationCheck {
  if (required.length === 0) return skipped('SCOPES', 'No scopes are required.');
  const missing = required.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return passed('SCOPES', 'It has all required scopes.');
  return failed('SCOPES', `It lacks required scopes: ${shortened(missing, ', ')}.`);
}

function checkExpiry({ expiresAt }: ApiKey, now: Date): VerificationCheck {
  if (expiresAt === null) return passed('EXPIRY', 'It never expires.');
  if (expiresAt.getTime() > now.getTime()) return passed('EXPIRY', `It expires at ${expiresAt.toISOString()}.`);
  return failed('EXPIRY', `It expired at ${expiresAt.toISOString()}.`);
}

function checkEnvironment(key: ApiKey, env: KeyEnv | undefined): VerificationCheck {
  if (env === undefined) return skipped('ENVIRONMENT', `It is for ${key.env}, and the request names no environment.`);
  if (env === key.env) return passed('ENVIRONMENT', `It is for ${key.env}, the requested environment.`);
  return failed('ENVIRONMENT', `It is for ${key.env}, and the request is for ${env}.`);
}

function checkSource({ allowedIps }: ApiKey, standing: SourceStanding): VerificationCheck {
  switch (standing.kind) {
    case 'unrestricted':
      return passed('SOURCE', 'It has no allow-list, so it can be used from any address.');
    case 'unknown':
      return failed('SOURCE', `It has an allow-list ${sizeOf(allowedIps)}, and the source is not known.`);
    case 'listed':
      return passed('SOURCE', `${formatIpAddress(standing.source)} is allowed by the entry "${standing.entry}".`);
    case 'unlisted': {
      const list = `its allow-list ${sizeOf(allowedIps)}${resolutionOf(standing.hosts)}`;
      return failed(
        'SOURCE',
        `${formatIpAddress(standing.source)} is not on ${list}. Add the address itself, a range that contains it, or a host name that resolves to it.`,
      );
    }
  }
}

function checkSignature({ signingEnvelope }: ApiKey, signature: SignatureExplanation | null): VerificationCheck {
  if (signingEnvelope === null) return passed('SIGNATURE', 'Its requests do not need a signature.');
  if (signature === null) {
    return failed('SIGNATURE', 'Its requests must be signed, and no request was given to check.');
  }
  const { failedCheck, reason } = signature;
  if (failedCheck === null) return passed('SIGNATURE', 'The signature is valid, and it has not been used yet.');
  return failed('SIGNATURE', `The check ${failedCheck} of the signature failed: ${reason}.`);
}

/** Whether it is reached is not checked: only the verification processes count. */
function checkRateLimit({ rateLimit }: ApiKey): VerificationCheck {
  if (rateLimit === null) return passed('RATE_LIMIT', 'It has no rate limit.');
  const { limit, windowSeconds } = rateLimit;
  return skipped('RATE_LIMIT', `It may be used ${limit} times per ${windowSeconds} s. This check does not count.`);
}

function sizeOf(entries: readonly string[]): string {
  return entries.length === 1 ? 'of 1 entry' : `of ${entries.length} entries`;
}

function resolutionOf(hosts: readonly ResolvedHost[]): string {
  if (hosts.length === 0) return '';
  const resolved = hosts.map(
    ({ host, hasAddresses }) => `${host} has ${hasAddresses ? 'other addresses' : 'no address'}`,
  );
  return ` (${shortened(resolved, '; ')})`;
}

/** Limits the text: an allow-list can have many hosts. */
function shortened(texts: readonly string[], separator: string): string {
  const most = 5;
  const more = texts.length > most ? [`${texts.length - most} more`] : [];
  return [...texts.slice(0, most), ...more].join(separator);
}

function passed(name: VerificationCheckName, explanation: string): VerificationCheck {
  return { name, outcome: 'PASSED', explanation };
}

function failed(name: VerificationCheckName, explanation: string): VerificationCheck {
  return { name, outcome: 'FAILED', explanation };
}

function skipped(name: VerificationCheckName, explanation: string): VerificationCheck {
  return { name, outcome: 'SKIPPED', explanation };
}

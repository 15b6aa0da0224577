/** Explains a verdict to people, with facts about the key and the request, and never a secret. */
import type { ApiKey, KeyEnv } from './api-key.ts';
import { formatIpAddress } from './ip-address.ts';
import type { SecretFormat } from './secret.ts';
import { sessionTokenHint } from './session-token-shape.ts';
import type { SignatureExplanation } from './signature-checks.ts';
import type { ResolvedHost, SourceStanding } from './source-standing.ts';

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
  | 'SIGNATURE';

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

const wrongShape = 'It does not have the form of a key: something is missing, added or not allowed in one.';

const onTheKey = [
  'REVOCATION',
  'ROTATION',
  'ENABLEMENT',
  'EXPIRY',
  'ENVIRONMENT',
  'SOURCE',
  'SCOPES',
  'SIGNATURE',
] as const;

/** Where there is no key, for whatever reason. */
export function checksWithoutKey(presented: Presented): VerificationCheck[] {
  return [
    checkForm(presented, false),
    checkExistence(presented),
    ...onTheKey.map((name) => skipped(name, 'There is no key to look at.')),
  ];
}

/** Where the team has a key that matches, and another team has one too. */
export function checksInConflict(presented: Presented): VerificationCheck[] {
  return [
    checkForm(presented, true),
    failed(
      'EXISTENCE',
      'A key was imported for the team that matches, and it is not the only one, so that none counts. Ask the operator, who can release the others.',
    ),
    ...onTheKey.map((name) => skipped(name, 'None of the keys that match counts.')),
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
  ];
}

function checkForm(presented: Presented, found: boolean): VerificationCheck {
  if (presented.by === 'prefix') {
    return skipped('FORM', 'A prefix was given, and only a whole key has a form to look at.');
  }
  switch (presented.form) {
    case 'good':
      return passed('FORM', 'It has the form of a key, and its checksum is right.');
    case 'foreign':
    case 'session token':
      if (found) return passed('FORM', 'It has another form than the keys made here, as it was imported.');
      return failed('FORM', presented.form === 'foreign' ? wrongShape : sessionTokenHint);
    case 'wrong shape':
      return failed('FORM', wrongShape);
    case 'wrong checksum':
      return failed('FORM', 'It looks like a key, but its checksum is wrong: a character of it is another one.');
  }
}

/** Where there is no key. */
function checkExistence(presented: Presented): VerificationCheck {
  if (presented.by === 'prefix' || presented.form === 'good') {
    return failed('EXISTENCE', `The team has no key with this ${presented.by}.`);
  }
  if (presented.form === 'foreign' || presented.form === 'session token')
    return failed('EXISTENCE', 'Nor is it a key that was imported for the team.');
  return skipped('EXISTENCE', 'What does not have the form of a key is not looked for.');
}

function checkRevocation({ revokedAt }: ApiKey): VerificationCheck {
  if (revokedAt === null) return passed('REVOCATION', 'It has not been revoked.');
  return failed('REVOCATION', `It was revoked at ${revokedAt.toISOString()}, for good.`);
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
  if (env === undefined) return skipped('ENVIRONMENT', `It is for ${key.env}, and any environment is served.`);
  if (env === key.env) return passed('ENVIRONMENT', `It is for ${key.env}, which is what is served.`);
  return failed('ENVIRONMENT', `It is for ${key.env}, and what is served is ${env}.`);
}

function checkSource({ allowedIps }: ApiKey, standing: SourceStanding): VerificationCheck {
  switch (standing.kind) {
    case 'unrestricted':
      return passed('SOURCE', 'It has no allow-list, so that it may be used from anywhere.');
    case 'unknown':
      return failed('SOURCE', `It has an allow-list ${sizeOf(allowedIps)}, and the source is not known.`);
    case 'listed':
      return passed('SOURCE', `${formatIpAddress(standing.source)} is let in by the entry "${standing.entry}".`);
    case 'unlisted': {
      const list = `its allow-list ${sizeOf(allowedIps)}${resolutionOf(standing.hosts)}`;
      return failed(
        'SOURCE',
        `${formatIpAddress(standing.source)} is not on ${list}: it would take the address itself, a range around it or a host name that has it.`,
      );
    }
  }
}

function checkSignature({ signingEnvelope }: ApiKey, signature: SignatureExplanation | null): VerificationCheck {
  if (signingEnvelope === null) return passed('SIGNATURE', 'Its requests need not be signed.');
  if (signature === null) {
    return failed(
      'SIGNATURE',
      'Its requests must be signed, and there is no request here whose signature could be checked.',
    );
  }
  const { failedCheck, reason } = signature;
  if (failedCheck === null) return passed('SIGNATURE', 'The signature is valid, and it has not been used yet.');
  return failed('SIGNATURE', `The check ${failedCheck} of the signature failed: ${reason}.`);
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

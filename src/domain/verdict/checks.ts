/**
 * The checks of a verification, in the order in which they are made: the first one that fails determines the verdict.
 * Verification, `explainVerification`, the statuses for gateways, the problem documents of middleware, the labels of
 * metrics and the tables of the documents all read this list. A new verdict is a new entry here, and a value of the enum
 * `VerdictCode` in schema.graphql.
 *
 * It needs nothing of Node.js, because the package for other runtimes contains it.
 */
import type { ApiKey, KeyEnv } from '../key/api-key.ts';
import type { SecretFormat } from '../secret/secret.ts';
import { sessionTokenHint } from '../secret/session-token-shape.ts';
import type { SignatureExplanation } from '../signature/signature-checks.ts';
import type { SourceMatch } from '../source/source-match.ts';
import type { Circumstances, JudgedKey } from './circumstances.ts';

/** What a rejected client is told, by gateways with the status alone. It contains no fact about the key. */
export interface Rejection {
  readonly status: 401 | 403 | 429;
  readonly title: string;
  readonly detail: string;
}

/** Whether a check accepts the request, and why, for people of the team. Never contains a secret. */
export interface Finding {
  readonly outcome: 'PASSED' | 'FAILED' | 'SKIPPED';
  readonly explanation: string;
}

/** How a key was looked up, and the format of a secret. Only imported keys can be `foreign` or `session token`. */
export type LookupInput =
  | { readonly by: 'prefix' }
  | { readonly by: 'secret'; readonly format: SecretFormat | 'session token' };

/** The request that is explained, and what was found out about it. */
export interface ExplainedRequest {
  readonly now: Date;
  readonly env: KeyEnv | undefined;
  readonly source: SourceMatch;
  /** The scopes that the request needs. */
  readonly scopes: readonly string[];
  /** Null for the current secret; for an earlier one, when it stops working, in milliseconds since the epoch. */
  readonly secretExpiresAt: number | null;
  /** Null where the key needs no signature, or no request was given. */
  readonly signature: SignatureExplanation | null;
}

/** The result of a lookup. `conflict`: keys of several teams match, and one of the team is among them. */
export type LookupResult = { readonly key: ApiKey; readonly request: ExplainedRequest } | 'conflict' | 'none';

/** The checks that the lookup of a key makes. Their verdicts are about no key, so they are not counted as its usage. */
const lookupChecks = [
  lookupCheck(
    'FORM',
    {
      MALFORMED: unauthorized('The API key is malformed', 'The text is not an API key: it may be cut off or mistyped.'),
    },
    (input, result) => {
      if (input.by === 'prefix') return skipped('A prefix was given, and only a complete key has a format to check.');
      switch (input.format) {
        case 'valid':
          return passed('It has the format of a key, and its checksum is correct.');
        case 'wrong checksum':
          return failed('It looks like a key, but its checksum is wrong: at least one character differs.');
        case 'wrong shape':
          return failed(wrongShape);
        default:
          if (result !== 'none') return passed('It was imported, so it has another format than the keys created here.');
          return failed(input.format === 'foreign' ? wrongShape : sessionTokenHint);
      }
    },
  ),
  lookupCheck(
    'EXISTENCE',
    { NOT_FOUND: unauthorized('The API key is not known', 'There is no such API key.') },
    (input, result) => {
      if (result === 'conflict') {
        return failed(
          'An imported key of the team matches, but other keys match too, so all are rejected. Ask the operator, who can release the others.',
        );
      }
      if (result !== 'none') {
        const { name, createdAt } = result.key;
        return passed(`It is the team's key "${name}", created at ${createdAt.toISOString()}.`);
      }
      if (input.by === 'prefix' || input.format === 'valid')
        return failed(`The team has no key with this ${input.by}.`);
      if (input.format === 'foreign' || input.format === 'session token') {
        return failed('It is not an imported key of the team either.');
      }
      return skipped('Text without the format of a key is not looked up.');
    },
  ),
] as const;

/** The checks on a key. `test` is null where counters or nonces decide, after all checks that need none. */
const keyChecks = [
  keyCheck('REVOCATION', {
    rejections: { REVOKED: unauthorized('The API key is revoked', 'The API key was revoked.') },
    test: ({ revoked }) => (revoked ? 'REVOKED' : null),
    explain: ({ revokedAt }) =>
      revokedAt === null
        ? passed('It has not been revoked.')
        : failed(`It was revoked at ${revokedAt.toISOString()}, permanently.`),
  }),
  keyCheck('ROTATION', {
    rejections: { ROTATED: unauthorized('The API key was rotated', 'The API key was replaced by a new one.') },
    test: ({ secretExpiresAt }, { now }) => (secretExpiresAt !== null && secretExpiresAt <= now ? 'ROTATED' : null),
    explain: ({ rotatedAt }, { now, secretExpiresAt }) => {
      if (secretExpiresAt === null) return passed('It is the current secret of the key.');
      const rotated = `The secret was rotated${rotatedAt === null ? '' : ` at ${rotatedAt.toISOString()}`}`;
      return secretExpiresAt > now.getTime()
        ? passed(`${rotated}, and is accepted until ${new Date(secretExpiresAt).toISOString()}.`)
        : failed(`${rotated}, and is not accepted anymore. Use the current secret of the key.`);
    },
  }),
  keyCheck('ENABLEMENT', {
    rejections: { DISABLED: unauthorized('The API key is disabled', 'The API key is disabled.') },
    test: ({ disabled }) => (disabled ? 'DISABLED' : null),
    explain: ({ disabledAt }) =>
      disabledAt === null ? passed('It is enabled.') : failed(`It was disabled at ${disabledAt.toISOString()}.`),
  }),
  keyCheck('EXPIRY', {
    rejections: { EXPIRED: unauthorized('The API key has expired', 'The API key has expired.') },
    test: ({ expiresAt }, { now }) => (expiresAt !== null && expiresAt <= now ? 'EXPIRED' : null),
    explain: ({ expiresAt }, { now }) => {
      if (expiresAt === null) return passed('It never expires.');
      if (expiresAt.getTime() > now.getTime()) return passed(`It expires at ${expiresAt.toISOString()}.`);
      return failed(`It expired at ${expiresAt.toISOString()}.`);
    },
  }),
  keyCheck('ENVIRONMENT', {
    rejections: {
      WRONG_ENVIRONMENT: forbidden('The API key is for another environment', 'Use a key of the environment called.'),
    },
    test: (key, { env }) => (env !== undefined && env !== key.env ? 'WRONG_ENVIRONMENT' : null),
    explain: (key, { env }) => {
      if (env === undefined) return skipped(`It is for ${key.env}, and the request names no environment.`);
      if (env === key.env) return passed(`It is for ${key.env}, the requested environment.`);
      return failed(`It is for ${key.env}, and the request is for ${env}.`);
    },
  }),
  keyCheck('SOURCE', {
    rejections: {
      SOURCE_NOT_ALLOWED: forbidden(
        'The API key may not be used from here',
        'The source is not among the allowed ones.',
      ),
    },
    test: (_, circumstances) => (circumstances.sourceAllowed() ? null : 'SOURCE_NOT_ALLOWED'),
    explain: ({ allowedIps }, { source }) => {
      const list = `allow-list of ${allowedIps.length} ${allowedIps.length === 1 ? 'entry' : 'entries'}`;
      switch (source.kind) {
        case 'unrestricted':
          return passed('It has no allow-list, so it can be used from any address.');
        case 'unknown':
          return failed(`It has an ${list}, and the source is not known.`);
        case 'listed':
          return passed(`${source.address} is allowed by the entry "${source.entry}".`);
        case 'unlisted': {
          const hosts = source.hosts.map(({ host, hasAddresses }) =>
            hasAddresses ? `${host} has other addresses` : `${host} has no address`,
          );
          const resolved = hosts.length === 0 ? '' : ` (${shortened(hosts, '; ')})`;
          return failed(
            `${source.address} is not on its ${list}${resolved}. Add the address itself, a range that contains it, or a host name that resolves to it.`,
          );
        }
      }
    },
  }),
  keyCheck('SCOPES', {
    rejections: {
      INSUFFICIENT_SCOPE: forbidden(
        'The API key lacks a scope',
        'The API key does not have the scopes that this needs.',
      ),
    },
    test: (_, circumstances) => (circumstances.scopesGranted() ? null : 'INSUFFICIENT_SCOPE'),
    explain: (key, { scopes }) => {
      if (scopes.length === 0) return skipped('No scopes are required.');
      const missing = scopes.filter((scope) => !key.scopes.includes(scope));
      if (missing.length === 0) return passed('It has all required scopes.');
      return failed(`It lacks required scopes: ${shortened(missing, ', ')}.`);
    },
  }),
  keyCheck('SIGNATURE', {
    rejections: {
      SIGNATURE_REQUIRED: unauthorized('A signature is needed', 'Requests with this API key must be signed.'),
      SIGNATURE_INVALID: unauthorized(
        'The signature is not valid',
        'The signature does not belong to this request and API key.',
      ),
      SIGNATURE_EXPIRED: unauthorized('The signature has expired', 'Sign the request again; check the clock.'),
      // Not by the test: the nonce of a valid signature is recorded first.
      SIGNATURE_REPLAYED: unauthorized('The signature was used before', 'Sign every request anew, retries too.'),
    },
    test: (_, circumstances) => {
      const outcome = circumstances.signature();
      return outcome === 'valid' ? null : outcome;
    },
    explain: ({ signingEnvelope }, { signature }) => {
      if (signingEnvelope === null) return passed('Its requests do not need a signature.');
      if (signature === null) return failed('Its requests must be signed, and no request was given to check.');
      const { failedCheck, reason } = signature;
      if (failedCheck === null) return passed('The signature is valid, and it has not been used yet.');
      return failed(`The check ${failedCheck} of the signature failed: ${reason}.`);
    },
  }),
  keyCheck('RATE_LIMIT', {
    rejections: {
      RATE_LIMITED: { status: 429, title: 'Too many requests', detail: 'The API key has reached its rate limit.' },
    },
    test: null,
    // Only the verification processes count requests.
    explain: ({ rateLimit }) => {
      if (rateLimit === null) return passed('It has no rate limit.');
      const { limit, windowSeconds } = rateLimit;
      return skipped(`It has a limit of ${limit} per ${windowSeconds} s, which only verification counts.`);
    },
  }),
] as const;

/** Every check, in order. */
export const checks = [...lookupChecks, ...keyChecks] as const;

export type CheckName = (typeof checks)[number]['name'];

type CodesOf<Check> = Check extends { readonly rejections: infer Rejections } ? keyof Rejections & string : never;

export type RejectionCode = CodesOf<(typeof checks)[number]>;

/** What clients are told for each verdict but VALID. */
export const rejections = Object.fromEntries(
  checks.flatMap((check) => Object.entries<Rejection>(check.rejections)),
) as Readonly<Record<RejectionCode, Rejection>>;

type Test = (key: JudgedKey, circumstances: Circumstances) => RejectionCode | null;

/** The tests of the checks on a key, in order. */
export const keyTests: readonly Test[] = keyChecks.flatMap(({ test }): Test[] => (test === null ? [] : [test]));

/** How many verdicts there are about a key that was found, VALID among them. */
export const keyVerdictCount = 1 + keyChecks.flatMap((check) => Object.keys(check.rejections)).length;

export interface ExplainedCheck extends Finding {
  readonly name: CheckName;
}

/** Explains a verdict, check by check. */
export function explainChecks(input: LookupInput, result: LookupResult): ExplainedCheck[] {
  const noKey = skipped(result === 'conflict' ? 'All matching keys are rejected.' : 'There is no key to check.');
  return [
    ...lookupChecks.map(({ name, explain }) => ({ name, ...explain(input, result) })),
    ...keyChecks.map(({ name, explain }) => ({
      name,
      ...(typeof result === 'string' ? noKey : explain(result.key, result.request)),
    })),
  ];
}

interface KeyCheck<Name extends string, Code extends string> {
  readonly name: Name;
  readonly rejections: Readonly<Record<Code, Rejection>>;
  readonly test: ((key: JudgedKey, circumstances: Circumstances) => NoInfer<Code> | null) | null;
  readonly explain: (key: ApiKey, request: ExplainedRequest) => Finding;
}

function keyCheck<const Name extends string, Code extends string>(
  name: Name,
  check: Omit<KeyCheck<Name, Code>, 'name'>,
): KeyCheck<Name, Code> {
  return { name, ...check };
}

function lookupCheck<const Name extends string, Code extends string>(
  name: Name,
  rejections: Readonly<Record<Code, Rejection>>,
  explain: (input: LookupInput, result: LookupResult) => Finding,
) {
  return { name, rejections, explain };
}

const wrongShape = 'It does not have the format of a key: characters are missing, added or not allowed.';

function unauthorized(title: string, detail: string): Rejection {
  return { status: 401, title, detail };
}

function forbidden(title: string, detail: string): Rejection {
  return { status: 403, title, detail };
}

function passed(explanation: string): Finding {
  return { outcome: 'PASSED', explanation };
}

function failed(explanation: string): Finding {
  return { outcome: 'FAILED', explanation };
}

function skipped(explanation: string): Finding {
  return { outcome: 'SKIPPED', explanation };
}

/** Limits the text: an allow-list can have many hosts. */
function shortened(texts: readonly string[], separator: string): string {
  const maxTexts = 5;
  const more = texts.length > maxTexts ? [`${texts.length - maxTexts} more`] : [];
  return [...texts.slice(0, maxTexts), ...more].join(separator);
}

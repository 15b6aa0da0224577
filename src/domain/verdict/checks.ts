/**
 * The checks of a verification, in the order in which they are made: the first one that fails determines the verdict.
 * Verification, explanations, statuses for gateways, problem documents, metrics and documentation follow this list. A
 * new verdict is a new entry here and a value of the enum `VerdictCode` in schema.graphql.
 *
 * This file must not need Node.js, because @latchkey/client contains it. The explanations are in explanations.ts.
 */
import type { KeyEnv } from '../key/key-env.ts';
import { hasPassed } from '../moment.ts';

/** The fields of a key that a verdict depends on. Times are in milliseconds since the epoch. */
export interface JudgedKey {
  readonly env: KeyEnv;
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly disabled: boolean;
  /** The last moment at which a fence freezes it (domain/fence): -Infinity if none covers it. */
  readonly frozenUntil: number;
  /** The last moment of the presented secret: null if it is current, -Infinity if it is older than the previous one. */
  readonly secretExpiresAt: number | null;
}

/** The circumstances that a verdict depends on. Expensive checks are functions, which are called only when needed. */
export interface Circumstances {
  readonly now: number;
  /** The environment that the caller serves; undefined when it accepts any. */
  readonly env: KeyEnv | undefined;
  /** Returns true if the key has no allow-list; false if it has one and the source is not known. */
  readonly sourceAllowed: () => boolean;
  readonly scopesGranted: () => boolean;
  readonly signature: () => 'valid' | 'SIGNATURE_REQUIRED' | 'SIGNATURE_INVALID' | 'SIGNATURE_EXPIRED';
}

/** The answer to a rejected client, without facts about the key. Gateways pass on only its status. */
export interface Rejection {
  readonly status: 401 | 403 | 429;
  readonly title: string;
  readonly detail: string;
}

interface Check<Name extends string, Code extends string> {
  readonly name: Name;
  readonly rejections: Readonly<Record<Code, Rejection>>;
  readonly test: ((key: JudgedKey, circumstances: Circumstances) => NoInfer<Code> | null) | null;
}

/** The checks of the key lookup. Their verdicts concern no key, so they do not count as usage of a key. */
export const lookupChecks = [
  check('FORM', {
    rejections: {
      MALFORMED: unauthorized('The API key is malformed', 'The text is not an API key: it may be cut off or mistyped.'),
    },
    test: null,
  }),
  check('EXISTENCE', {
    rejections: { NOT_FOUND: unauthorized('The API key is not known', 'There is no such API key.') },
    test: null,
  }),
] as const;

/** The checks on a key that was found. `test` is null where counters decide, after all tests. */
export const keyChecks = [
  check('REVOCATION', {
    rejections: { REVOKED: unauthorized('The API key is revoked', 'The API key was revoked.') },
    test: ({ revoked }) => (revoked ? 'REVOKED' : null),
  }),
  check('FREEZE', {
    rejections: { FROZEN: unauthorized('The API key is frozen', 'The API key is not accepted for now.') },
    test: ({ frozenUntil }, { now }) => (hasPassed(frozenUntil, now) ? null : 'FROZEN'),
  }),
  check('ROTATION', {
    rejections: { ROTATED: unauthorized('The API key was rotated', 'The API key was replaced by a new one.') },
    test: ({ secretExpiresAt }, { now }) => (hasPassed(secretExpiresAt, now) ? 'ROTATED' : null),
  }),
  check('ENABLEMENT', {
    rejections: { DISABLED: unauthorized('The API key is disabled', 'The API key is disabled.') },
    test: ({ disabled }) => (disabled ? 'DISABLED' : null),
  }),
  check('EXPIRY', {
    rejections: { EXPIRED: unauthorized('The API key has expired', 'The API key has expired.') },
    test: ({ expiresAt }, { now }) => (hasPassed(expiresAt, now) ? 'EXPIRED' : null),
  }),
  check('ENVIRONMENT', {
    rejections: {
      WRONG_ENVIRONMENT: forbidden('The API key is for another environment', 'Use a key of the environment called.'),
    },
    test: (key, { env }) => (env !== undefined && env !== key.env ? 'WRONG_ENVIRONMENT' : null),
  }),
  check('SOURCE', {
    rejections: {
      SOURCE_NOT_ALLOWED: forbidden(
        'The API key may not be used from here',
        'The source is not among the allowed ones.',
      ),
    },
    test: (_, circumstances) => (circumstances.sourceAllowed() ? null : 'SOURCE_NOT_ALLOWED'),
  }),
  check('SCOPES', {
    rejections: {
      INSUFFICIENT_SCOPE: forbidden(
        'The API key lacks a scope',
        'The API key does not have the scopes that this needs.',
      ),
    },
    test: (_, circumstances) => (circumstances.scopesGranted() ? null : 'INSUFFICIENT_SCOPE'),
  }),
  check('SIGNATURE', {
    rejections: {
      SIGNATURE_REQUIRED: unauthorized('A signature is needed', 'Requests with this API key must be signed.'),
      SIGNATURE_INVALID: unauthorized(
        'The signature is not valid',
        'The signature does not belong to this request and API key.',
      ),
      SIGNATURE_EXPIRED: unauthorized('The signature has expired', 'Sign the request again; check the clock.'),
      // Not returned by `test`: the caller detects a replay when it records the nonce, after all tests.
      SIGNATURE_REPLAYED: unauthorized('The signature was used before', 'Sign every request anew, retries too.'),
    },
    test: (_, circumstances) => {
      const outcome = circumstances.signature();
      return outcome === 'valid' ? null : outcome;
    },
  }),
  check('RATE_LIMIT', {
    rejections: {
      RATE_LIMITED: { status: 429, title: 'Too many requests', detail: 'The API key has reached its rate limit.' },
    },
    test: null,
  }),
] as const;

type NameOf<One> = One extends { readonly name: infer Name extends string } ? Name : never;
type CodeOf<One> = One extends { readonly rejections: infer Rejections } ? keyof Rejections & string : never;

export type LookupCheckName = NameOf<(typeof lookupChecks)[number]>;
export type KeyCheckName = NameOf<(typeof keyChecks)[number]>;
export type RejectionCode = CodeOf<(typeof lookupChecks)[number] | (typeof keyChecks)[number]>;

export const rejections = Object.fromEntries(
  [...lookupChecks, ...keyChecks].flatMap((one) => Object.entries<Rejection>(one.rejections)),
) as Readonly<Record<RejectionCode, Rejection>>;

type Test = (key: JudgedKey, circumstances: Circumstances) => RejectionCode | null;
const keyTests: readonly Test[] = keyChecks.flatMap(({ test }): Test[] => (test === null ? [] : [test]));

/** Returns the first verdict that applies. The caller then checks for replays, and the key's rate limit. */
export function verdict(key: JudgedKey, circumstances: Circumstances): RejectionCode | 'VALID' {
  for (const test of keyTests) {
    const code = test(key, circumstances);
    if (code !== null) return code;
  }
  return 'VALID';
}

/** The number of possible verdicts on a key that was found, including VALID. */
export const keyVerdictCount = 1 + keyChecks.flatMap((one) => Object.keys(one.rejections)).length;

function check<const Name extends string, Code extends string>(
  name: Name,
  { rejections, test }: Omit<Check<Name, Code>, 'name'>,
): Check<Name, Code> {
  return { name, rejections, test };
}

function unauthorized(title: string, detail: string): Rejection {
  return { status: 401, title, detail };
}

function forbidden(title: string, detail: string): Rejection {
  return { status: 403, title, detail };
}

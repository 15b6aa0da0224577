import { notFrozen } from '../../domain/fence/fence.ts';
import type { RateLimit } from '../../domain/key/rate-limit.ts';
import { type AllowedSource, parseAllowedSource } from '../../domain/source/allowed-source.ts';
import type { JudgedKey } from '../../domain/verdict/checks.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import type { Outcome } from '../../domain/verdict/verification-call.ts';
import { type VerifiedKey, verifiedFields } from '../../domain/verdict/verified-key.ts';
import type { FeedRow } from '../../wire/feed-messages.ts';
import type { Verdict } from '../verdict.ts';

/** The fields of a key in an answer. */
export class LocalAnsweredKey {
  readonly id: string;
  readonly teamId: string;
  readonly env: VerifiedKey['env'];
  readonly externalId: string | null;
  readonly createdAt: number | null;
  readonly expiresAt: number | null;
  readonly secretExpiresAt: number | null;
  readonly presentedVersion: number;
  /** Frozen, because all verdicts on the key share it. */
  readonly fields: VerifiedKey;
  #described: string | null = null;
  readonly #verdicts: Partial<Record<VerdictCode, Verdict>> = {};

  /** The service does not say the times of a forwarded verification. */
  constructor(
    fields: VerifiedKey,
    secretExpiresAt: number | null = null,
    createdAt: number | null = null,
    version = 0,
  ) {
    this.presentedVersion = version;
    this.id = fields.keyId;
    this.teamId = fields.teamId;
    this.env = fields.env;
    this.externalId = fields.externalId;
    this.createdAt = createdAt;
    this.expiresAt = fields.expiresAt === null ? null : Date.parse(fields.expiresAt);
    this.secretExpiresAt = secretExpiresAt;
    this.fields = frozen(fields);
  }

  get scopeText(): string {
    return this.fields.scopes.join(' ');
  }

  /** The fields of the service's answer after `valid` and `code`, as JSON text including the closing brace. */
  get described(): string {
    this.#described ??= JSON.stringify(this.fields).slice(1);
    return this.#described;
  }

  /** Returns the verdict without the state of the rate limit. Creates one object per code. */
  verdict(code: VerdictCode): Verdict {
    const known = this.#verdicts[code];
    if (known !== undefined) return known;
    const rest = { ...this.fields, rateLimit: null };
    const verdict = Object.freeze(code === 'VALID' ? { valid: true, code, ...rest } : { valid: false, code, ...rest });
    this.#verdicts[code] = verdict;
    return verdict;
  }
}

/** A key as an edge caches it. */
export class LocalKey extends LocalAnsweredKey implements JudgedKey {
  readonly revoked: boolean;
  readonly disabled: boolean;
  readonly frozenUntil: number;
  readonly rateLimit: RateLimit | null;
  readonly label: string | null;
  /** Whether the key has an allow-list. */
  readonly restricted: boolean;
  readonly sources: readonly AllowedSource[];
  /** Whether only the service can decide, because the key needs signed requests or allows host names. */
  readonly forwarded: boolean;
  /** The estimated memory use in the cache. */
  readonly bytes: number;

  constructor(row: FeedRow) {
    // A rotated secret counts as expired, whatever the clock says.
    super(
      verifiedFields(row),
      row.rotated ? Number.NEGATIVE_INFINITY : row.secretExpiresAt,
      row.createdAt,
      row.version,
    );
    this.revoked = row.revoked;
    this.disabled = row.frozen?.disabled ?? row.disabled;
    this.frozenUntil = row.frozen === undefined ? notFrozen : (row.frozen.until ?? Number.POSITIVE_INFINITY);
    this.rateLimit = row.rateLimit;
    this.label = row.label ?? null;
    this.restricted = row.allowedIps !== null;
    this.sources = (row.allowedIps ?? []).flatMap((entry) => {
      const source = parseAllowedSource(entry);
      return source.ok ? [source.value] : [];
    });
    this.forwarded = row.signed || this.sources.some(({ kind }) => kind === 'host');
    this.bytes = estimateBytes(row);
  }
}

/** Counts 80 bytes for the object of each value. Measured: 2 kB without settings, 13 kB with 100 sources. */
function estimateBytes(row: FeedRow): number {
  const text = JSON.stringify(row);
  return 2 * text.length + 80 * text.split(',').length;
}

/** Freezes an object and all objects in it. */
function frozen<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
}

export type LocalOutcome = Outcome<LocalAnsweredKey>;

/** Receives the result of a verification, immediately or later. */
export interface LocalResponder {
  readonly answer: (outcome: LocalOutcome) => void;
  /** Called with a VerifierUnavailableError or a VerifierRejectedError if there is no verdict. */
  readonly fail: (error: unknown) => void;
  /** Called when the verification is forwarded to the service. */
  readonly forwards?: () => void;
}

import { parseAllowedSource } from '../domain/allowed-source.ts';
import type { KeyEnv } from '../domain/api-key.ts';
import { badInput, type FieldError } from '../domain/errors.ts';
import { parseExpiry } from '../domain/expiry.ts';
import { parseIdempotencyKey } from '../domain/idempotency.ts';
import { type ImportedDigest, parseImportedDigest } from '../domain/imported-digest.ts';
import { limits } from '../domain/limits.ts';
import { type Metadata, parseMetadata } from '../domain/metadata.ts';
import { parseMoment } from '../domain/moment.ts';
import type { Parsed } from '../domain/parsed.ts';
import { type RateLimit, rateLimitProblems } from '../domain/rate-limit.ts';
import { overlapProblem } from '../domain/rotated-secret.ts';
import { parseScope } from '../domain/scope.ts';
import { parseImportedPrefix } from '../domain/secret.ts';
import { parseLine } from '../domain/text.ts';

/** Parses the fields of an input and collects the errors, so that a caller gets all of them at once. */
export class Fields {
  readonly #errors: FieldError[];
  readonly #path: string;

  constructor(errors: FieldError[] = [], path = '') {
    this.#errors = errors;
    this.#path = path;
  }

  /** Returns a parser for the fields of a nested object. Its errors are collected here. */
  within(path: string): Fields {
    return new Fields(this.#errors, `${this.#path}${path}.`);
  }

  name(value: string): string {
    return this.#take('name', parseLine(value, limits.nameCharacters), value);
  }

  expiry(value: Date | null, now: Date): Date | null {
    return value === null ? null : this.#take('expiresAt', parseExpiry(value, now), value);
  }

  idempotencyKey(value: string | null): string | null {
    return value === null ? null : this.#take('idempotencyKey', parseIdempotencyKey(value), value);
  }

  importedDigest(value: string): ImportedDigest {
    return this.#take('digest', parseImportedDigest(value), { algorithm: 'sha256', bytes: Buffer.alloc(0) });
  }

  importedPrefix(value: string, env: KeyEnv): string {
    return this.#take('prefix', parseImportedPrefix(value, env), value);
  }

  /** Parses a point in time of a filter. */
  moment(field: string, value: Date): Date {
    return this.#take(field, parseMoment(value), value);
  }

  /** Validates the entries and returns them as they were written. They are parsed again where they are applied. */
  allowedIps(entries: readonly string[]): readonly string[] {
    if (entries.length > limits.allowedSources)
      this.reject('allowedIps', `must have at most ${limits.allowedSources} entries`);
    else for (const [i, entry] of entries.entries()) this.#take(`allowedIps[${i}]`, parseAllowedSource(entry), null);
    return entries;
  }

  scopes(scopes: readonly string[]): readonly string[] {
    return this.#distinct('scopes', scopes, limits.scopes, parseScope);
  }

  tags(tags: readonly string[]): readonly string[] {
    return this.#distinct('tags', tags, limits.tags, (tag) => parseLine(tag, limits.tagCharacters));
  }

  externalId(value: string | null): string | null {
    return value === null ? null : this.#take('externalId', parseLine(value, limits.externalIdCharacters), value);
  }

  metadata(value: unknown): Metadata | null {
    return value === null ? null : this.#take('metadata', parseMetadata(value), null);
  }

  rateLimit(value: RateLimit | null): RateLimit | null {
    if (value === null) return null;
    for (const [field, problem] of Object.entries(rateLimitProblems(value))) this.reject(`rateLimit.${field}`, problem);
    return { limit: value.limit, windowSeconds: value.windowSeconds };
  }

  overlapSeconds(value: number): number {
    const problem = overlapProblem(value);
    if (problem !== null) this.reject('overlapSeconds', problem);
    return value;
  }

  /** Why an operation is done, for the audit trail. */
  reason(value: string | null): string | null {
    return value === null ? null : this.#take('reason', parseLine(value, limits.reasonCharacters), value);
  }

  reject(field: string, message: string): void {
    this.#errors.push({ field: this.#path + field, message });
  }

  /** Returns the parsed fields. Throws BAD_USER_INPUT if one of them was rejected. */
  done<T>(parsed: T): T {
    if (this.#errors.length > 0) throw badInput(this.#errors);
    return parsed;
  }

  #distinct(
    field: string,
    entries: readonly string[],
    max: number,
    parse: (text: string) => Parsed<string>,
  ): readonly string[] {
    if (entries.length > max) {
      this.reject(field, `must have at most ${max} entries`);
      return entries;
    }
    const parsed = entries.map((entry, i) => this.#take(`${field}[${i}]`, parse(entry), entry));
    for (const [i, entry] of parsed.entries()) {
      if (parsed.indexOf(entry) < i) this.reject(`${field}[${i}]`, 'must not be given twice');
    }
    return parsed;
  }

  #take<T, Placeholder>(field: string, parsed: Parsed<T>, placeholder: Placeholder): T | Placeholder {
    if (parsed.ok) return parsed.value;
    this.reject(field, parsed.problem);
    return placeholder;
  }
}

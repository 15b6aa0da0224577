/** The metadata of a key: a JSON object for the team's API, which every verdict about the key contains. */
import { isJsonObject } from '../../lib/json-object.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };
export type Metadata = { readonly [name: string]: JsonValue };

/** Takes `unknown`, because GraphQL's scalar JSON and REST bodies allow any value. */
export function parseMetadata(value: unknown): Parsed<Metadata> {
  if (!isJsonObject(value)) return rejected('must be a JSON object');
  const problem = metadataProblem(value);
  if (problem !== null) return rejected(problem);
  if (new TextEncoder().encode(JSON.stringify(value)).length > limits.metadataBytes)
    return rejected(`must have at most ${limits.metadataBytes} bytes as JSON`);
  return accepted(value as Metadata);
}

/** Returns what is wrong with an object as metadata, or null. Does not check the size. */
export function metadataProblem(value: object): string | null {
  return valueProblem(value, limits.metadataDepth);
}

function valueProblem(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return textProblem(value);
  // JSON.parse reads 1e400 as Infinity, which JSON can't represent.
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'must have finite numbers only';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return `must be nested at most ${limits.metadataDepth} levels deep`;
  for (const [name, member] of Object.entries(value)) {
    const problem = textProblem(name) ?? valueProblem(member, depth - 1);
    if (problem !== null) return problem;
  }
  return null;
}

/** Rejects NUL and lone surrogates, which PostgreSQL can't store in JSON. */
function textProblem(text: string): string | null {
  return text.includes('\0') || !text.isWellFormed() ? 'must have no NUL characters and no lone surrogates' : null;
}

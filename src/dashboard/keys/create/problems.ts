/** What is wrong with a wish. */
import { parseJsonObject } from '../../key-settings/json-object.ts';
import { problemOfRateLimit } from '../../key-settings/rate-limit.ts';
import { problemsOf } from '../../key-settings/sources.ts';
import type { Wish } from './new-key-draft.ts';

export interface Problems {
  readonly name: string | null;
  readonly expiresAt: string | null;
  readonly sources: string | null;
  readonly rateLimit: string | null;
  readonly metadata: string | null;
}

/** Checks what can be checked without the server. */
export function problemsIn({ name, expiresAt, sources, rateLimit, metadata }: Wish): Problems {
  const lines = problemsOf(sources).map(({ line, message }) => `Line ${line} ${message}`);
  const parsed = parseJsonObject(metadata);
  const isPast = expiresAt !== null && expiresAt.getTime() <= Date.now();
  return {
    name: name.trim() === '' ? 'A key needs a name, so that people know what it is for.' : null,
    expiresAt: isPast ? 'It must be in the future.' : null,
    sources: lines.length === 0 ? null : lines.join('. '),
    rateLimit: problemOfRateLimit(rateLimit),
    metadata: parsed.ok ? null : parsed.problem,
  };
}

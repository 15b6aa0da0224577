/** What is wrong with a wish. */
import { limits } from '../../../domain/limits.ts';
import { ApiError } from '../../api/api-error.ts';
import { formatNumber } from '../../components/format.ts';
import { problemsOf } from '../../key/sources.ts';
import type { Wish } from './wish.ts';

/** Checks what can be checked without the server, when the form is submitted. */
export const validate = {
  name: (name: string) => (name.trim() === '' ? 'A key needs a name, so that people know what it is for.' : null),
  expiresAt: (at: Date | null) => (at !== null && at.getTime() <= Date.now() ? 'It must be in the future.' : null),
  sources: (text: string) => {
    const lines = problemsOf(text).map(({ line, message }) => `Line ${line} ${message}`);
    return lines.length === 0 ? null : lines.join('. ');
  },
  metadata: problemOfMetadata,
  limit: (limit: number | string) => {
    const isWithin =
      limit === '' || (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= limits.rateLimit);
    return isWithin ? null : `It must be a number from 1 to ${formatNumber(limits.rateLimit)}.`;
  },
} satisfies { readonly [Name in keyof Wish]?: (value: Wish[Name]) => string | null };

function problemOfMetadata(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? null : 'It must be a JSON object, such as {"plan": "free"}.';
  } catch (error) {
    return `It is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Returns what the server rejects about a field of the input. */
export function rejectionOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.fields.filter((problem) => fieldOf(problem.field) === field);
  return found.length === 0 ? undefined : found.map(({ message }) => message).join('. ');
}

/** Returns the field of the input that a path such as `input.scopes[0]` is in. */
function fieldOf(path: string): string | undefined {
  return path.replace(/^input\./, '').split(/[.[]/)[0];
}

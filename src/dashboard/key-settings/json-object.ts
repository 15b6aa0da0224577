import type { Parsed } from '../../lib/parsed.ts';

/** Parses the text of a JSON object. Empty text is null. */
export function parseJsonObject(text: string): Parsed<object | null> {
  if (text.trim() === '') return { ok: true, value: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value };
    return { ok: false, problem: 'It must be a JSON object, such as {"plan": "free"}.' };
  } catch (error) {
    return { ok: false, problem: `It is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

import { limits } from '../limits.ts';
import { parseLine } from '../text.ts';

/**
 * Returns the name under which the person with a subject is a member of teams and responsible for keys: the subject as the
 * setting `responsible` has it, trimmed and normalized, so that both are the same text. A subject that no key can have as
 * `responsible` stays as it is.
 */
export function personOf(subject: string): string {
  const parsed = parseLine(subject, limits.responsibleCharacters);
  return parsed.ok ? parsed.value : subject;
}

import { normalized } from '../normalized.ts';

/**
 * Returns the name under which the person with a subject is a member of teams and responsible for keys: the subject as the
 * setting `responsible` has it, trimmed and normalized, so that both are the same text.
 */
export function personOf(subject: string): string {
  return normalized(subject.trim()) || subject;
}

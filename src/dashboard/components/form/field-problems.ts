import { ApiError } from '../../api/api-error.ts';

/** Returns the server's messages about a field and its parts, such as `tags[2]`. */
export function problemOf(error: unknown, field: string): string | undefined {
  const messages = problemsOf(error).filter((problem) => fieldOf(problem.field) === field);
  return messages.length === 0 ? undefined : messages.map(({ message }) => message).join('; ');
}

/** Whether the error is about other things than these fields, or also about others. */
export function isElsewhere(error: unknown, fields: readonly string[]): boolean {
  if (error == null) return false;
  const problems = problemsOf(error);
  return problems.length === 0 || problems.some(({ field }) => !fields.includes(fieldOf(field)));
}

function problemsOf(error: unknown) {
  return error instanceof ApiError ? error.fields : [];
}

function fieldOf(path: string): string {
  return /^(?:input\.)?(\w+)/.exec(path)?.[1] ?? '';
}

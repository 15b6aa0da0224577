import { ApiError, sentenceOf } from '../../api/api-error.ts';

/** Returns the server's messages about each field and its parts, such as `tags[2]`, by the name of the field. */
export function messagesByField(
  error: unknown,
  renamed: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const messages: Record<string, string> = {};
  for (const { field, message } of error instanceof ApiError ? error.fields : []) {
    const [, path = '', sent = ''] = /^(?:input\.)?((\w+)(?:\.\w+)?)/.exec(field) ?? [];
    const name = renamed[path] ?? renamed[sent] ?? sent;
    messages[name] = `${name in messages ? `${messages[name]} ` : ''}${sentenceOf(message)}`;
  }
  return messages;
}

/** Returns whether an error is about anything besides these fields. */
export function isElsewhere(error: unknown, fields: readonly string[]): boolean {
  if (error == null) return false;
  const names = Object.keys(messagesByField(error));
  return names.length === 0 || names.some((name) => !fields.includes(name));
}

import type { HeaderFields } from '../domain/signed-request.ts';

/** Returns the header fields that are present. Node types every field as possibly undefined. */
export function headerFields(headers: Readonly<Record<string, string | string[] | undefined>>): HeaderFields {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) fields[name] = value;
  return fields;
}

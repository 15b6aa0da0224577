/** A UUID of any version (RFC 9562, section 4). */
const pattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const whole = new RegExp(`^${pattern}$`, 'i');

export function isUuid(text: string): boolean {
  return whole.test(text);
}

/** Gives each id one spelling, because ids are compared as text. Accepts upper case and braces, as graphql-scalars does. */
export function canonicalUuid(text: string): string {
  return text.replace(/[{}]/g, '').toLowerCase();
}

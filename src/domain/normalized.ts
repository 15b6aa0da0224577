/** Returns a text in the one spelling in which `parseLine` returns all that look like it. */
export function normalized(text: string): string {
  return text.normalize('NFC').replace(/\p{Zs}/gu, ' ');
}

/** Prints one line for each name and value. A value may have several lines. */
export function printRows(rows: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of rows) console.log(`${name.padEnd(18)} ${value.replaceAll('\n', `\n${' '.repeat(19)}`)}`);
}

/** Writes on standard error what a long program does now, and for how many seconds it has been running. */
export function progress(text: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${text}`);
}

/** Prints one line for each name and value. A value may have several lines. */
export function printRows(rows: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of rows) console.log(`${name.padEnd(18)} ${value.replaceAll('\n', `\n${' '.repeat(19)}`)}`);
}

/** Returns names with their counts as a text. */
export function countsText(counts: Iterable<readonly [name: string, count: number]>): string {
  return Array.from(counts, ([name, count]) => `${name} ${count}`).join(', ');
}

/** Prints why a program failed, if it did, and makes it exit with 1. */
export function printFailures(failures: readonly string[]): void {
  for (const failure of failures) console.log(`\nFAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}

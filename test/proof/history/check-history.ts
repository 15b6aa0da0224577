/**
 * `npm run prove -- check-history FILE`, or `node test/proof/history/check-history.ts FILE`; `-` is the standard input. Judges a
 * history. The exit code is 0 if the promise was kept, 1 if it was violated, and 2 if the history is malformed or another
 * error occurred.
 */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import type { Result } from './checker.ts';
import { HistoryError } from './format.ts';
import { checkLines } from './read.ts';
import { describe } from './violation.ts';

// Node.js would exit with 1, which means "violated".
process.on('uncaughtException', fail);

const [file, ...more] = process.argv.slice(2);
if (file === undefined || more.length > 0) {
  console.error('usage: npm run prove -- check-history FILE (or - for the standard input)');
  process.exit(2);
}

const stream = file === '-' ? process.stdin : createReadStream(file).on('error', fail);
const result = await checkLines(file.endsWith('.gz') ? stream.pipe(createGunzip()).on('error', fail) : stream).catch(
  fail,
);
print(result);
process.exitCode = result.violationCount > 0 ? 1 : 0;

function print(result: Result): void {
  const { violations, violationCount, maxLateMs, changes, verifications, close, telling } = result;
  for (const violation of violations) console.log(`${describe(violation)}\n`);
  console.log(`changes        ${changes}; without an answer ${result.unansweredChanges}`);
  console.log(`verifications  ${verifications}; without a verdict ${result.unansweredVerifications}`);
  console.log(`close          ${close} to a change; for ${telling}, the state before gives another verdict`);
  const latest = maxLateMs === 0 ? '' : `; the latest started ${maxLateMs.toFixed(0)} ms after the state was replaced`;
  console.log(`violations     ${violationCount}${latest}`);
  if (telling === 0 && violationCount === 0) {
    console.log('It proves nothing: no verification close to a change could have shown a violation.');
  }
}

function fail(error: unknown): never {
  const isExpected = error instanceof HistoryError || (error instanceof Error && 'syscall' in error);
  console.error(isExpected ? `${file}: ${error.message}` : error);
  process.exit(2);
}

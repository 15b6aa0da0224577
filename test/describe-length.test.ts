/** A describe block has one subject, and fits on a few screens. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const maxLines = 150;

function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}

/** Every call in a syntax tree. */
function callsIn(node: unknown): { readonly start: number; readonly end: number }[] {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(callsIn);
  const { type, start, end }: { type?: unknown; start?: unknown; end?: unknown } = node;
  if (type !== 'CallExpression' || typeof start !== 'number' || typeof end !== 'number') return inside;
  return [{ start, end }, ...inside];
}

/** The describe blocks above the limit, as `file:line`. */
function longBlocks(file: string, source: string): string[] {
  return callsIn(parseAst(source, { lang: 'ts' }))
    .filter(({ start, end }) => /^describe\b/.test(source.slice(start, end)))
    .map(({ start, end }) => ({ first: lineAt(source, start), last: lineAt(source, end) }))
    .filter(({ first, last }) => last - first >= maxLines)
    .map(({ first }) => `${file}:${first}`);
}

test(`no describe block is longer than ${maxLines} lines`, () => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:test|browser)\.ts$/.test(name),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((name) => longBlocks(name, readFileSync(`test/${name}`, 'utf8')))).toEqual([]);
});

test('a describe block that is too long is reported with its line', () => {
  const block = (lines: number) => `\ndescribe.each([1])('a', () => {${'\n'.repeat(lines - 1)}});\n`;
  expect(longBlocks('a.ts', block(maxLines))).toEqual([]);
  expect(longBlocks('a.ts', block(maxLines + 1))).toEqual(['a.ts:2']);
});

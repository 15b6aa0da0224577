/**
 * The blocks of the pages in docs/evidence. A block is what a measurement found, between `<!--name-->` and
 * `<!--/name-->`, with the commit and the date at which it was taken. A command with `--write` writes its whole block.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { type MeasurementName, measurementNames, measurements } from './measurements.ts';

const evidence = 'docs/evidence';

/** When figures were taken, and the commit whose code they measure. */
interface Taken {
  readonly commit: string;
  /** YYYY-MM-DD. */
  readonly date: string;
}

export interface Block extends Taken {
  readonly name: MeasurementName;
}

const blockOf = (name: string) => new RegExp(`(<!--${name}-->)(.*?)(<!--/${name}-->)`, 's');

interface Page {
  readonly file: string;
  readonly text: string;
}

export function readPages(): readonly Page[] {
  return globSync(`${evidence}/*.md`).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

/** The blocks of the pages, with the oldest of their figures. Throws if one is missing or does not say when it was taken. */
export function readBlocks(): readonly Block[] {
  const text = readPages()
    .map((page) => page.text)
    .join('\n');
  return measurementNames.map((name) => {
    const [, , content = ''] = blockOf(name).exec(text) ?? [];
    const taken = [...content.matchAll(/`([0-9a-f]{8})` on (\d{4}-\d\d-\d\d)/g)]
      .map(([, commit = '', date = '']) => ({ commit, date }))
      .sort((a, b) => a.date.localeCompare(b.date));
    const [oldest] = taken;
    if (oldest === undefined) throw new Error(`${evidence} does not say when the figures of ${name} were taken`);
    return { name, ...oldest };
  });
}

/** The current commit. Throws if code that the figures depend on is not committed. */
export function takenNow(names: readonly MeasurementName[]): Taken {
  const folders = [...new Set(names.flatMap((name) => measurements[name].dependsOn))];
  const changed = git('status', '--porcelain', '--', ...folders);
  if (changed !== '') throw new Error(`--write needs committed code, so that the page can name it:\n${changed}`);
  return { commit: git('rev-parse', '--short=8', 'HEAD'), date: new Date().toISOString().slice(0, 10) };
}

/** Replaces the figures of a measurement. */
export function writeBlock(name: MeasurementName, taken: Taken, figures: string): void {
  replaceBlock(name, () => `Taken at ${textOf(taken)}.\n\n${figures}`);
}

/** Replaces or adds the row of one run in the table of a measurement that has several runs, each taken by itself. */
export function writeRow(name: MeasurementName, taken: Taken, cells: readonly (string | number)[]): void {
  const row = rowOf([...cells, textOf(taken)]);
  const start = `| ${cells[0]} |`;
  replaceBlock(name, (content) => {
    const lines = content.trim().split('\n');
    const others = lines.filter((line) => !line.startsWith(start));
    const at = lines.findIndex((line) => line.startsWith(start));
    return others.toSpliced(at === -1 ? others.length : at, 0, row).join('\n');
  });
}

function replaceBlock(name: MeasurementName, replace: (content: string) => string): void {
  const page = readPages().find(({ text }) => blockOf(name).test(text));
  if (page === undefined) throw new Error(`${evidence} has no block ${name}`);
  writeFileSync(
    page.file,
    page.text.replace(blockOf(name), (_, start, content, end) => `${start}\n\n${replace(content)}\n\n${end}`),
  );
}

const textOf = ({ commit, date }: Taken) => `\`${commit}\` on ${date}`;
const rowOf = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

export function tableText(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [rowOf(header), `|${'---|'.repeat(header.length)}`, ...rows.map(rowOf)].join('\n');
}

export function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

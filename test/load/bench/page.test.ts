/** docs/evidence says when each of its figures was taken, and which are older than their code. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { measurementNames, measurements } from './measurements.ts';
import { readBlocks, readPages } from './page.ts';

const pages = readPages();
const page = 'docs/evidence/benchmarks.md';
const text = readFileSync(page, 'utf8');

describe('the pages', () => {
  it('have one block of each measurement, with its commit and date', () => {
    expect(readBlocks().map(({ name }) => name)).toEqual(measurementNames);
    const starts = pages.flatMap(({ text: content }) => [...content.matchAll(/<!--([\w-]+)-->/g)]);
    expect(starts.map(([, name]) => name).sort()).toEqual(measurementNames.toSorted());
  });

  it('have no table outside of the blocks of benchmarks.md', () => {
    const outside = text.replaceAll(/<!--([\w-]+)-->.*?<!--\/\1-->/gs, '');
    expect(outside).not.toMatch(/^\||<!--/m);
  });

  it.each(Object.entries(measurements))('names folders that exist for %s', (_, { dependsOn }) => {
    expect(dependsOn.filter((folder) => !existsSync(folder))).toEqual([]);
  });
});

describe('a command with --write', () => {
  const { path: directory } = temporaryDirectory();
  const file = join(directory, page);
  /** Runs code in a process whose page is a copy. */
  const write = (code: string) => {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    const module = JSON.stringify(resolve('test/load/bench/page.ts'));
    const script = `import { tableOf, writeBlock, writeRow } from ${module};
      const taken = { commit: '0123abcd', date: '2026-01-02' }; ${code}`;
    execFileSync('node', ['--input-type=module', '--eval', script], { cwd: directory });
    return readFileSync(file, 'utf8');
  };
  const blockIn = (content: string, name: string) => content.split(`<!--${name}-->`)[1]?.split(`<!--/${name}-->`)[0];

  it('replaces the table and its commit and date, and nothing else', () => {
    const figure = { name: 'creates', floor: '100/s', value: '40/s', result: 0.4, atLeast: 0.6 };
    const written = write(`writeBlock('create', taken, tableOf([${JSON.stringify(figure)}]))`);
    const rows = '| measured | baseline | result | target |\n|---|---|---|---|\n';
    expect(blockIn(written, 'create')).toBe(
      `\n\nTaken at \`0123abcd\` on 2026-01-02.\n\n${rows}| creates | 100/s | 0.40 (40/s): missed | at least 0.6 |\n\n`,
    );
    expect(written.replace(blockIn(written, 'create') ?? '', '')).toBe(text.replace(blockIn(text, 'create') ?? '', ''));
  });

  it('replaces the row of its options, or adds it', () => {
    const rowsOf = (content: string) => blockIn(content, 'torture')?.trim().split('\n') ?? [];
    const before = rowsOf(text);
    const replaced = rowsOf(write("writeRow('torture', taken, ['`--store postgresql`', 1, 2, 3, 0])"));
    const row = '| `--store postgresql` | 1 | 2 | 3 | 0 | `0123abcd` on 2026-01-02 |';
    expect(replaced).toEqual(before.map((line) => (line.startsWith('| `--store postgresql` |') ? row : line)));
    const added = rowsOf(write("writeRow('torture', taken, ['`--seconds 5`', 1, 2, 3, 0])"));
    expect(added).toEqual([...before, row.replace('--store postgresql', '--seconds 5')]);
  });
});

describe('node test/load/bench/age.ts', () => {
  const { path: directory } = temporaryDirectory();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
  const ages = () => execFileSync('node', [resolve('test/load/bench/age.ts')], { cwd: directory, encoding: 'utf8' });
  const write = (path: string, content: string) => {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), content);
  };
  const commit = (subject: string) => {
    git('add', '.');
    git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--quiet', '--allow-empty', '--message', subject);
    return git('rev-parse', '--short=8', 'HEAD');
  };
  const takenAt = (taken: string) => {
    for (const { file, text: old } of pages) {
      write(file, old.replaceAll(/`[0-9a-f]{8}` on \d{4}-\d\d-\d\d/g, `\`${taken}\` on 2026-01-02`));
    }
  };

  it('prints the figures whose folders have changed since, and says when it cannot know', () => {
    for (const { file, text: content } of pages) write(file, content);
    expect(ages()).toBe('the history is missing: this is not a clone with git\n');
    git('init', '--quiet');
    commit('Start');
    expect(ages()).toBe(`the commits of ${measurementNames.length} figures are not in the history of this clone\n`);
    takenAt(commit('Measure'));
    expect(ages()).toBe('no figure is older than its code\n');
    write('src/dashboard/page.tsx', 'changed');
    const changed = commit('Change the dashboard');
    expect(ages().trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^dashboard +2026-01-02 .*; last change ${changed} .* Change the dashboard`)),
    ]);
  });
});

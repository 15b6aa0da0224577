/** docs/evidence says when each of its figures was taken. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { measurementNames, measurements } from './measurements.ts';
import { readBlocks, readPages } from './page.ts';

const pages = readPages();
const text = readFileSync('docs/evidence/benchmarks.md', 'utf8');

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

/** The page about the model names everything that Spin checks. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { conditions, configurations, mutants } from './configurations.ts';

const page = readFileSync('test/proof/model/README.md', 'utf8');
const model = readFileSync('test/proof/model/promise.pml', 'utf8');
const broken = [...mutants, ...conditions].map(({ name }) => name);

/** The names in the first column of a table. */
function rowsOf(title: string): readonly string[] {
  const [, section = ''] = page.split(`## ${title}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name);
}

test('the page has a row for each configuration, mutant and condition, and no other', () => {
  expect(rowsOf('Configurations')).toEqual(configurations.map(({ name }) => name));
  expect(rowsOf('Mutants')).toEqual(mutants.map(({ name }) => name));
  expect(rowsOf('Conditions')).toEqual(conditions.map(({ name }) => name));
});

test('the model has code for each mutant and condition', () => {
  for (const name of broken) expect(model).toMatch(new RegExp(`^#(?:el)?if.*\\b${name}\\b`, 'm'));
});

test('the model uses no macro that no configuration, mutant or condition defines', () => {
  const tested = [...model.matchAll(/^#(?:ifdef|ifndef) (\w+)/gm)].map(([, name = '']) => name);
  const constants = [...configurations, ...mutants, ...conditions].flatMap((item) => Object.keys(item.constants));
  const defined = [...model.matchAll(/^#define (\w+) \d+/gm)].map(([, name = '']) => name);
  const unused = tested.filter((name) => ![...constants, ...defined, ...broken, 'SHORTEST', 'LIVENESS'].includes(name));
  expect(unused).toEqual([]);
});

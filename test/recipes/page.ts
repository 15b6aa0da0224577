/** The recipes, as RECIPES.md has them: what the tests run is what a reader copies. */
import { readFileSync } from 'node:fs';

const sections = readFileSync('RECIPES.md', 'utf8').split(/^## /m);

export interface Recipe {
  /** All of the section. */
  readonly prose: string;
  /** Its blocks, in their order, of which the first is the recipe. */
  readonly text: string;
  readonly blocks: readonly string[];
  /** The variables that it wants Latchkey to be started with: the first `NAME=value` in its prose. */
  readonly environment: Readonly<Record<string, string>>;
}

export function recipe(title: string): Recipe {
  const prose = sections.find((section) => section.startsWith(`${title}\n`));
  if (prose === undefined) throw new Error(`RECIPES.md has no section ${title}`);
  const blocks = [...prose.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const [text] = blocks;
  if (text === undefined) throw new Error(`the section ${title} of RECIPES.md has no block`);
  const [, variables = ''] = /`((?:[A-Z_]+=\S+ ?)+)`/.exec(prose.replace(/^```.*?^```$/gms, '')) ?? [];
  const environment = Object.fromEntries(
    variables
      .split(' ')
      .filter((pair) => pair !== '')
      .map((pair) => pair.split('=', 2)),
  );
  return { prose, text, blocks, environment };
}

/** With the addresses of a test in the place of those that are written, each of which has to be there. */
export function at(text: string, addresses: Readonly<Record<string, string>>): string {
  let placed = text;
  for (const [written, here] of Object.entries(addresses)) {
    if (!placed.includes(written)) throw new Error(`${written} is nowhere in the recipe`);
    placed = placed.replaceAll(written, here);
  }
  return placed;
}

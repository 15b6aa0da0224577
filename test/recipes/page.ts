/** The examples of these documents: the tests run exactly what a reader copies. */
import { documents, sectionsOf } from '../support/documents.ts';

const pages = documents.filter((page) => page.startsWith('docs/tasks/gateways'));
const sections = [...pages, 'docs/tasks/scaling.md', 'docs/tasks/edge.md', 'docs/start/deploying.md'].flatMap(
  sectionsOf,
);

interface Recipe {
  /** The whole section. */
  readonly prose: string;
  /** The first code block. */
  readonly text: string;
  /** All code blocks, in order. */
  readonly blocks: readonly string[];
  /** The variables that Latchkey must be started with: the first `NAME=value` outside the code blocks. */
  readonly environment: Readonly<Record<string, string>>;
}

export function recipe(title: string): Recipe {
  // A page can also have a section that only links to this one.
  const section = sections.find((candidate) => candidate.title === title && candidate.blocks.length > 0);
  const { prose = '' } = section ?? {};
  const blocks = section?.blocks.map((block) => block.text) ?? [];
  const [text] = blocks;
  if (text === undefined) throw new Error(`the documents have no section "${title}" with a code block`);
  const [, variables = ''] = /`((?:[A-Z_]+=\S+ ?)+)`/.exec(prose.replace(/^```.*?^```$/gms, '')) ?? [];
  return { prose, text, blocks, environment: variablesOf(variables) };
}

/** Reads `NAME=value OTHER=value`. */
export function variablesOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(' ').filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
}

/** Replaces the addresses in an example by those of a test. Each address must occur in the example. */
export function at(text: string, addresses: Readonly<Record<string, string>>): string {
  let placed = text;
  for (const [written, actual] of Object.entries(addresses)) {
    if (!placed.includes(written)) throw new Error(`the example does not contain ${written}`);
    placed = placed.replaceAll(written, actual);
  }
  return placed;
}

/** Separates the files of an example with several, which are in one code block each. */
export const nextFile = '\f';

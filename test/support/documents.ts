/** Reads the documents: tests run their code blocks and compare their tables with the code. */
import { readdirSync, readFileSync } from 'node:fs';

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

export interface Section {
  readonly title: string;
  /** The whole section, code blocks included. */
  readonly prose: string;
  readonly blocks: readonly CodeBlock[];
}

/** The paths of all documents, from the root of the repository. */
export const documents: readonly string[] = [
  ...readdirSync('.'),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
]
  .filter((name) => name.endsWith('.md'))
  .sort();

/** The sections of a document, in order. The first one is the text before the first heading of level 2. */
export function sectionsOf(document: string): readonly Section[] {
  const parts = readFileSync(document, 'utf8').split(/^#{2,3} /m);
  return parts.map((prose, index) => {
    const blocks = [...prose.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
    return {
      title: index === 0 ? '' : (prose.split('\n', 1)[0] ?? ''),
      prose,
      blocks: blocks.map(([, language = '', text = '']) => ({ language, text })),
    };
  });
}

export function sectionOf(document: string, title: string): Section {
  const [section, ...more] = sectionsOf(document).filter((candidate) => candidate.title === title);
  if (section === undefined || more.length > 0) throw new Error(`${document} needs exactly one section "${title}"`);
  return section;
}

/** The text of a code block. `index` counts the blocks of the section. */
export function blockOf(document: string, title: string, index = 0): string {
  const block = sectionOf(document, title).blocks[index];
  if (block === undefined) throw new Error(`section "${title}" of ${document} has no code block ${index}`);
  return block.text;
}

/** The cells of each row of all tables in a text, without the header rows. Code formatting is removed from no cell. */
export function tableRows(prose: string): readonly (readonly string[])[] {
  const tables = prose.matchAll(/^\|.*\|\n\|[\s|:-]+\|\n((?:\|.*\|\n)*)/gm);
  return [...tables].flatMap(([, rows = '']) =>
    rows
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ),
  );
}

/** The names in code formatting, such as `PORT`. */
export function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

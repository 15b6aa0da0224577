/** Parses allowed sources from lines of text, with the same rules as the server. */
import { limits } from '../../domain/limits.ts';
import { parseAllowedSource } from '../../domain/source/allowed-source.ts';

interface LineProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** Returns the entries as the user wrote them, with comments and without empty lines. */
export function sourcesIn(text: string): string[] {
  return linesOf(text).map(({ entry }) => entry);
}

export function problemsOf(text: string): LineProblem[] {
  const lines = linesOf(text);
  const problems = lines.flatMap(({ entry, line }) => {
    const parsed = parseAllowedSource(entry);
    return parsed.ok ? [] : [{ line, message: parsed.problem }];
  });
  const tooMany = lines[limits.allowedSources];
  return tooMany === undefined
    ? problems
    : [...problems, { line: tooMany.line, message: `there may be at most ${limits.allowedSources} sources` }];
}

function linesOf(text: string) {
  return text
    .split('\n')
    .map((entry, index) => ({ entry: entry.trim(), line: index + 1 }))
    .filter(({ entry }) => entry !== '');
}

/** Parses allowed sources from lines of text, with the same rules as the server. */
import { limits } from '../../domain/limits.ts';
import { parseNewSource } from '../../domain/source/allowed-source.ts';
import { coverageOf } from '../../domain/source/coverage.ts';
import { hostsProblem } from '../../domain/source/source-match.ts';

/** The number of problems that are described, so that a form fits on a screen. */
const maxDescribed = 5;

/** Returns the entries as the user wrote them, with comments and without empty lines. */
export function sourcesIn(text: string): string[] {
  return linesOf(text).map(({ entry }) => entry);
}

/** Describes the first lines that are not valid, one per line of text; null if all are valid. */
export function sourcesProblem(text: string): string | null {
  const lines = linesOf(text);
  const parsedLines = lines.map(({ entry, line }) => ({ line, parsed: parseNewSource(entry) }));
  const problems = parsedLines.flatMap(({ line, parsed }) => (parsed.ok ? [] : [`Line ${line} ${parsed.problem}`]));
  const tooManyHosts = hostsProblem(parsedLines.flatMap(({ parsed }) => (parsed.ok ? [parsed.value] : [])));
  if (tooManyHosts !== null) problems.push(`The list ${tooManyHosts}`);
  const tooMany = lines[limits.allowedSources];
  if (tooMany !== undefined) {
    problems.push(`Line ${tooMany.line} is one too many: there may be at most ${limits.allowedSources} sources`);
  }
  const others = problems.length - maxDescribed;
  return [...problems.slice(0, maxDescribed), ...(others > 0 ? [`and ${others} more`] : [])].join('\n') || null;
}

/** From this share of all addresses on, a list hardly protects a key. It is a network of IPv4 with a prefix of 7 bits. */
const wideShare = 1 / 128;
const families = [
  { family: 4, name: 'IPv4' },
  { family: 6, name: 'public IPv6' },
] as const;
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });

/** Returns which sources a valid list allows, such as `every IPv4 source`, if they are hardly fewer than all. */
export function wideSources(text: string): string | null {
  const sources = linesOf(text).flatMap(({ entry }) => {
    const parsed = parseNewSource(entry);
    return parsed.ok ? [parsed.value] : [];
  });
  const shares = families.map(({ family, name }) => ({ name, share: coverageOf(sources, family) }));
  const wide = shares.filter(({ share }) => share >= wideShare);
  if (wide.length === 0) return null;
  if (shares.every(({ share }) => share === 1)) return 'every source';
  return wide
    .map(({ name, share }) =>
      share === 1 ? `every ${name} source` : `${percent.format(share)} of all ${name} addresses`,
    )
    .join(' and ');
}

function linesOf(text: string) {
  return text
    .split('\n')
    .map((entry, index) => ({ entry: entry.trim(), line: index + 1 }))
    .filter(({ entry }) => entry !== '');
}

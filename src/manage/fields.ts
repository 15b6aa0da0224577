/** The parsers of the fields that several use cases have. */
import { parseAllowedSource } from '../domain/allowed-source.ts';
import { limits } from '../domain/limits.ts';
import { type ParsedFields, parsedList } from '../domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../domain/parsed.ts';
import { parseLine } from '../domain/text.ts';

export function parseName(name: string): Parsed<string> {
  return parseLine(name, limits.nameCharacters);
}

/** Validates the entries and returns them as they were written. They are parsed again where they are applied. */
export function parseAllowedIps(entries: readonly string[]): Parsed<never> | ParsedFields<readonly string[]> {
  if (entries.length > limits.allowedSources) return rejected(`must have at most ${limits.allowedSources} entries`);
  return parsedList(
    entries.map((entry) => {
      const source = parseAllowedSource(entry);
      return source.ok ? accepted(entry) : source;
    }),
  );
}

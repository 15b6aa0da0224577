import type { Parsed } from '../../lib/parsed.ts';
import { parseLine } from '../text.ts';

const maxCharacters = 100;

/** The name of a team: one printable line. */
export function parseTeamName(text: string): Parsed<string> {
  return parseLine(text, maxCharacters);
}

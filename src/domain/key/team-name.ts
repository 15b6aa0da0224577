import type { Parsed } from '../../lib/parsed.ts';
import { parseLine } from '../text.ts';

const maxCharacters = 100;

export function parseTeamName(text: string): Parsed<string> {
  return parseLine(text, maxCharacters);
}

/** Parsers for options of several commands. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isUuid } from '../lib/uuid.ts';

export interface JsonOption {
  readonly json?: boolean;
}

export interface TeamOption {
  /** Absent: see `teamOf`. */
  readonly team?: string;
}

export function addTeamOption(command: Command, description: string): Command {
  return command.option('--team <id>', `${description} (default: of LATCHKEY_TEAM, the profile or the token)`, parseId);
}

export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('Expected a UUID.');
  return text;
}

/** Makes a parser return its error, so that the action reports all errors. Commander would stop at the first error. */
export function orInvalid<T>(parse: (text: string) => T): (text: string) => T | InvalidArgumentError {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof InvalidArgumentError) return error;
      throw error;
    }
  };
}

/** Collects the values of an option that can be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function limitOption(): Option {
  return new Option('--limit <number>', 'print at most so many').argParser((text) => {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a number from 1.');
    return Number(text);
  });
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the duration in seconds. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (seconds === 0) throw new InvalidArgumentError('Expected a number and s, m, h or d, such as 30m.');
  return seconds;
}

export function overlapOption(secret: string): Option {
  return new Option('--overlap <time>', `how long the previous ${secret} is accepted too: a number and s, m, h or d`)
    .argParser(parseDuration)
    .default(0, 'it is not');
}

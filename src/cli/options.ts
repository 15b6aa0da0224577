/** Parsers for options of several commands. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readDuration } from '../lib/duration.ts';
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

/** Returns the duration in seconds. */
export function parseDuration(text: string): number {
  const seconds = readDuration(text);
  if (!seconds.ok) throw new InvalidArgumentError(seconds.problem);
  return seconds.value;
}

export function overlapOption(secret: string): Option {
  return new Option('--overlap <time>', `how long the previous ${secret} is accepted too: a number and s, m, h or d`)
    .argParser(parseDuration)
    .default(0, 'it is not');
}

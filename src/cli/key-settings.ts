/** The options for the settings of a key, and what they mean in GraphQL. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { repeatedField } from '../domain/repeated-field.ts';
import type { RateLimitInput } from './generated/graphql.ts';
import { collect, parseMoment } from './options.ts';

export interface SettingOptions {
  readonly expires?: string;
  readonly source?: readonly string[];
  readonly scope?: readonly string[];
  readonly externalId?: string;
  readonly tag?: readonly string[];
  readonly metadata?: object;
  readonly rateLimit?: RateLimitInput;
}

export function addSettingOptions(command: Command): Command {
  return command
    .option('--expires <moment>', 'when it stops working, such as 2030-01-31T12:00:00Z', parseMoment)
    .option('--source <source>', 'an allowed source; can be given several times', collect)
    .option('--scope <scope>', 'what it can be used for; can be given several times', collect)
    .option('--external-id <id>', 'the customer or service that it belongs to')
    .option('--tag <tag>', 'a label; can be given several times', collect)
    .option('--metadata <json>', 'a JSON object for your API', parseJsonObject)
    .option('--rate-limit <limit>', 'requests per seconds, such as 100/60', parseRateLimit);
}

/** Returns the fields of the options that were given. A list replaces the whole list. */
export function settingsOf({ expires, source, scope, externalId, tag, metadata, rateLimit }: SettingOptions) {
  return {
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(source === undefined ? {} : { allowedIps: [...source] }),
    ...(scope === undefined ? {} : { scopes: [...scope] }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

/** A setting that can be removed: how it is named, and the option that sets it. */
const removable = {
  expiry: { field: 'expiresAt', option: 'expires', removed: null },
  sources: { field: 'allowedIps', option: 'source', removed: [] },
  scopes: { field: 'scopes', option: 'scope', removed: [] },
  'external-id': { field: 'externalId', option: 'externalId', removed: null },
  tags: { field: 'tags', option: 'tag', removed: [] },
  metadata: { field: 'metadata', option: 'metadata', removed: null },
  'rate-limit': { field: 'rateLimit', option: 'rateLimit', removed: null },
} as const;

export type Removable = keyof typeof removable;

export function removeOption(): Option {
  return new Option('--remove <settings...>', 'settings to remove').choices(Object.keys(removable));
}

/** Ends the command if a setting is both set and removed. */
export function removalsOf(names: readonly Removable[], options: SettingOptions, command: Command) {
  const both = names.find((name) => options[removable[name].option] !== undefined);
  if (both !== undefined) command.error(`setting and removing the ${both} exclude each other`);
  return Object.fromEntries(names.map((name) => [removable[name].field, removable[name].removed]));
}

function parseJsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    const repeated = repeatedField(text, value);
    if (repeated !== null) throw new InvalidArgumentError(`Expected ${repeated} once.`);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    // Otherwise it is not JSON, which is reported below.
  }
  throw new InvalidArgumentError('Expected a JSON object.');
}

function parseRateLimit(text: string): RateLimitInput {
  const [, limit, windowSeconds] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  if (limit === undefined || windowSeconds === undefined) {
    throw new InvalidArgumentError('Expected a number of requests, a slash and a number of seconds, such as 100/60.');
  }
  return { limit: Number(limit), windowSeconds: Number(windowSeconds) };
}

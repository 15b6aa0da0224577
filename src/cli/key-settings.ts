/** The options for the settings of a key, and what they mean in GraphQL. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FieldError } from '../domain/errors.ts';
import { parseChangedSettings } from '../domain/key/settings.ts';
import { acceptFields } from '../domain/parse-fields.ts';
import { repeatedField } from '../lib/repeated-field.ts';
import type { RateLimitInput, UpdateKeyInput } from './generated/graphql.ts';
import { collect, orInvalid, parseMoment } from './options.ts';

export interface SettingOptions {
  readonly name?: string;
  readonly expires?: string | InvalidArgumentError;
  readonly source?: readonly string[];
  readonly scope?: readonly string[];
  readonly externalId?: string;
  readonly tag?: readonly string[];
  readonly metadata?: object | InvalidArgumentError;
  readonly rateLimit?: RateLimitInput | InvalidArgumentError;
}

export function addSettingOptions(command: Command): Command {
  return command
    .option('--expires <moment>', 'when it stops working, such as 2030-01-31T12:00:00Z', orInvalid(parseMoment))
    .option('--source <source>', 'an allowed source; can be given several times', collect)
    .option('--scope <scope>', 'what it can be used for; can be given several times', collect)
    .option('--external-id <id>', 'the customer or service that it belongs to')
    .option('--tag <tag>', 'a label; can be given several times', collect)
    .option('--metadata <json>', 'a JSON object for your API', orInvalid(parseJsonObject))
    .option('--rate-limit <limit>', 'requests per seconds, such as 100/60', orInvalid(parseRateLimit));
}

/** The options of the settings in errors. */
const optionOf: Readonly<Record<string, string>> = {
  teamId: '--team',
  name: '--name',
  expiresAt: '--expires',
  allowedIps: '--source',
  scopes: '--scope',
  externalId: '--external-id',
  tags: '--tag',
  metadata: '--metadata',
  rateLimit: '--rate-limit',
};

/**
 * Returns the fields of the options that were given. A list replaces the whole list. If the text of an option can't be
 * parsed, `teamId` included, ends the command with the errors of all options.
 */
export function settingsOf(options: SettingOptions, command: Command, teamId?: string | InvalidArgumentError) {
  const { name, expires, source, scope, externalId, tag, metadata, rateLimit } = options;
  const settings = {
    ...(name === undefined ? {} : { name }),
    ...(isGiven(expires) ? { expiresAt: expires } : {}),
    ...(source === undefined ? {} : { allowedIps: [...source] }),
    ...(scope === undefined ? {} : { scopes: [...scope] }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(isGiven(metadata) ? { metadata } : {}),
    ...(isGiven(rateLimit) ? { rateLimit } : {}),
  };
  const errors = Object.entries({ teamId, expiresAt: expires, metadata, rateLimit }).flatMap(([field, value]) =>
    value instanceof InvalidArgumentError ? [{ field, message: value.message }] : [],
  );
  if (errors.length > 0) command.error([...errors, ...brokenRules(settings)].map(inOptions).join('\n'));
  return settings;
}

/** The service checks the rules only of settings that can be sent. */
function brokenRules({ expiresAt, ...settings }: Omit<UpdateKeyInput, 'expiresAt'> & { readonly expiresAt?: string }) {
  const given = expiresAt === undefined ? settings : { ...settings, expiresAt: new Date(expiresAt) };
  const errors: FieldError[] = [];
  acceptFields(parseChangedSettings(given, new Date()), errors);
  return errors;
}

function isGiven<T>(value: T | InvalidArgumentError | undefined): value is T {
  return value !== undefined && !(value instanceof InvalidArgumentError);
}

function inOptions({ field, message }: FieldError): string {
  return `error: ${field.replace(/^\w+/, (name) => optionOf[name] ?? name)}: ${message}`;
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

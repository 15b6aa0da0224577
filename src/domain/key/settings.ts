/**
 * The settings of a key: what a caller chooses when it creates a key, and can change later. Creation, update, import,
 * export, audit, storage and the command line iterate over this description. Runs in a browser too.
 */
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';
import { parseExpiry } from '../moment.ts';
import { parsedList, type Result } from '../parse-fields.ts';
import { distinctEntries, parseNewSource } from '../source/allowed-source.ts';
import { hostsProblem } from '../source/source-match.ts';
import { parseLine } from '../text.ts';
import { type Metadata, parseMetadata } from './metadata.ts';
import { parseRateLimit, type RateLimit } from './rate-limit.ts';
import { parseScope } from './scope.ts';

/** A key contains a `value`. A caller sends an `input`, whose type GraphQL has checked. */
interface Kinds {
  readonly text: { readonly value: string; readonly input: string };
  readonly list: { readonly value: readonly string[]; readonly input: readonly string[] };
  readonly moment: { readonly value: Date; readonly input: Date };
  readonly object: { readonly value: Metadata; readonly input: unknown };
  readonly rateLimit: { readonly value: RateLimit; readonly input: RateLimit };
}

export type Kind = keyof Kinds;

interface SettingOption {
  /** The command-line option for the setting, without `--`. For a list, the option is given once for each entry. */
  readonly flag: string;
  readonly argument: string;
  readonly help: string;
  /** The name of the setting in `--remove`. Absent for a required setting. */
  readonly remove?: string;
}

/** The name of a setting is also its name in GraphQL, REST and NDJSON, and the name of its column in CSV. */
export interface Setting<K extends Kind = Kind> {
  readonly kind: K;
  /** Whether every key has a value. Otherwise, the value can be null or, for a list, empty. */
  readonly required?: true;
  /** The effect of an empty list, as in "or send [] to allow every source". */
  readonly emptyMeans?: string;
  /** Parses a value that is not null. A method, so that settings of all kinds are assignable to `Setting`. */
  parse(input: Kinds[K]['input'], now: Date): Result<Kinds[K]['value']>;
  readonly option: SettingOption;
}

type SettingOfAnyKind = { readonly [K in Kind]: Setting<K> }[Kind];

export const settings = {
  name: {
    kind: 'text',
    required: true,
    parse: (name) => parseLine(name, limits.nameCharacters),
    option: { flag: 'name', argument: 'name', help: 'a label for people' },
  },
  description: {
    kind: 'text',
    parse: (text) => parseLine(text, limits.descriptionCharacters),
    option: { flag: 'description', argument: 'text', help: 'what people should know about it', remove: 'description' },
  },
  allowedIps: {
    kind: 'list',
    emptyMeans: 'allow every source',
    parse: parseAllowedIps,
    option: { flag: 'source', argument: 'source', help: 'an allowed source', remove: 'sources' },
  },
  expiresAt: {
    kind: 'moment',
    parse: parseExpiry,
    option: {
      flag: 'expires',
      argument: 'moment',
      help: 'when it stops working: 30d or 12h from now, 2030-01-31 (its first moment in UTC), 2030-01-31T12:00:00Z, or never',
      remove: 'expiry',
    },
  },
  scopes: {
    kind: 'list',
    emptyMeans: 'remove all scopes',
    parse: (scopes) => parseDistinct(scopes, limits.scopes, parseScope),
    option: { flag: 'scope', argument: 'scope', help: 'what it can be used for', remove: 'scopes' },
  },
  externalId: {
    kind: 'text',
    parse: (id) => parseLine(id, limits.externalIdCharacters),
    option: {
      flag: 'external-id',
      argument: 'id',
      help: 'the customer or service that it belongs to',
      remove: 'external-id',
    },
  },
  responsible: {
    kind: 'text',
    parse: (text) => parseLine(text, limits.responsibleCharacters),
    option: {
      flag: 'responsible',
      argument: 'person',
      help: 'who answers questions about it: the subject of a session, or a team',
      remove: 'responsible',
    },
  },
  tags: {
    kind: 'list',
    emptyMeans: 'remove all tags',
    parse: (tags) => parseDistinct(tags, limits.tags, (tag) => parseLine(tag, limits.tagCharacters)),
    option: { flag: 'tag', argument: 'tag', help: 'a label', remove: 'tags' },
  },
  metadata: {
    kind: 'object',
    parse: parseMetadata,
    option: { flag: 'metadata', argument: 'json', help: 'a JSON object for your API', remove: 'metadata' },
  },
  rateLimit: {
    kind: 'rateLimit',
    parse: parseRateLimit,
    option: {
      flag: 'rate-limit',
      argument: 'limit',
      help: 'requests per seconds, such as 100/60',
      remove: 'rate-limit',
    },
  },
} as const satisfies Readonly<Record<string, SettingOfAnyKind>>;

type Settings = typeof settings;
export type SettingName = keyof Settings;

type KindOf<Name extends SettingName> = Settings[Name]['kind'];
type None<S> = S extends { readonly required: true } | { readonly kind: 'list' } ? never : null;

/** The settings of a key, all of which are valid. Lists are as the caller wrote them. */
export type KeySettings = {
  readonly [Name in SettingName]: Kinds[KindOf<Name>]['value'] | None<Settings[Name]>;
};

export type KeySettingsInput = {
  readonly [Name in SettingName]?: Kinds[KindOf<Name>]['input'] | null | undefined;
};

type ParsedSettings = { readonly [Name in SettingName]: Result<KeySettings[Name]> };

export const settingNames = Object.keys(settings) as readonly SettingName[];

/** The settings, without the name, of an unrestricted key. */
export const noSettings = Object.fromEntries(
  settingNames.filter((name) => !('required' in settings[name])).map((name) => [name, emptyValue(name)]),
  // Each name gets a value of its kind.
) as unknown as Omit<KeySettings, 'name'>;

function emptyValue(name: SettingName): readonly never[] | null {
  return settings[name].kind === 'list' ? [] : null;
}

/** Parses the settings of a new key. An absent or null field means no restriction. */
export function parseNewSettings(input: KeySettingsInput & { readonly name: string }, now: Date): ParsedSettings {
  const parsed = settingNames.map((name) => [name, parseNew(name, input[name], now)]);
  // Each name gets the result of its own parser.
  return Object.fromEntries(parsed) as ParsedSettings;
}

/** Parses the settings to change. Absent fields stay as they are; null removes an optional setting. */
export function parseChangedSettings(input: KeySettingsInput, now: Date): Partial<ParsedSettings> {
  const given = settingNames.filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, parseChanged(name, input[name], now)]));
}

function parseNew(name: SettingName, input: unknown, now: Date): Result<unknown> {
  const setting: Setting = settings[name];
  if (input != null) return setting.parse(input as never, now);
  return setting.required ? rejected('is required') : accepted(emptyValue(name));
}

function parseChanged(name: SettingName, input: unknown, now: Date): Result<unknown> {
  const { kind, required, emptyMeans }: Setting = settings[name];
  if (input !== null) return parseNew(name, input, now);
  if (kind === 'list') {
    return rejected(`must not be null: omit it to keep the current list, or send [] to ${emptyMeans}`);
  }
  return required ? rejected(`must not be null: omit it to keep the current ${name}`) : accepted(null);
}

/** Returns the entries as written, with one for each source, because they are parsed again where they are applied. */
function parseAllowedIps(entries: readonly string[]): Result<readonly string[]> {
  const parsed = parsedList(entries, limits.allowedSources, parseNewSource);
  if (!parsed.ok) return parsed;
  const problem = hostsProblem(parsed.value);
  return problem === null ? accepted(distinctEntries(entries, parsed.value)) : rejected(problem);
}

/** Parses a list that has each entry once. */
export function parseDistinct(
  entries: readonly string[],
  max: number,
  parse: (text: string) => Parsed<string>,
): Result<readonly string[]> {
  const parsed = parsedList(entries, max, parse);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  return parsedList(value, max, (entry, i) =>
    value.indexOf(entry) < i ? rejected('must not be given twice') : accepted(entry),
  );
}

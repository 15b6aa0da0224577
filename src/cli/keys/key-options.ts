/** Command-line options for the settings of a key, made from their descriptions in domain/key/settings.ts. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FieldError } from '../../domain/errors.ts';
import { readSetting } from '../../domain/key/setting-text.ts';
import {
  type KeySettingsInput,
  parseChangedSettings,
  type Setting,
  type SettingName,
  settingNames,
  settings,
} from '../../domain/key/settings.ts';
import { readExpiry } from '../../domain/moment-text.ts';
import { acceptFields } from '../../domain/parse-fields.ts';
import { collect } from '../options.ts';
import type { UpdateKeyInput } from '../service/generated/graphql.ts';

type SettingsJson = Readonly<Partial<Record<SettingName, unknown>>>;

interface SettingOptions {
  readonly isNewKey: boolean;
  /** Settings that the command takes in another way. */
  readonly without?: readonly SettingName[];
}

/** Adds an option for each setting. For a new key, the options of required settings are mandatory. */
export function addSettingOptions(command: Command, { isNewKey, without = [] }: SettingOptions): Command {
  for (const name of settingNames.filter((one) => !without.includes(one))) {
    const { required }: Setting = settings[name];
    command.addOption(optionOf(name).makeOptionMandatory(isNewKey && required === true));
  }
  return command;
}

/** Stands for null, which commander would take for an option without a value. */
const removed = Symbol('removed');

function optionOf(name: SettingName): Option {
  const { kind, option }: Setting = settings[name];
  const flags = `--${option.flag} <${option.argument}>`;
  if (kind === 'list') return new Option(flags, `${option.help}; can be given several times`).argParser(collect);
  // The action reports the invalid values of all options together. Commander would stop at the first error.
  return new Option(flags, option.help).argParser((text) => {
    const parsed = kind === 'moment' ? readExpiry(text, new Date()) : readSetting(name, text);
    return parsed.ok ? (parsed.value ?? removed) : new InvalidArgumentError(parsed.problem);
  });
}

/** Returns the settings from the options. Ends the command with the errors of all options and of the team. */
export function settingsOf(command: Command, team?: string | InvalidArgumentError): UpdateKeyInput {
  const options = command.opts();
  const errors: FieldError[] = [];
  const json: Partial<Record<SettingName, unknown>> = {};
  if (team instanceof InvalidArgumentError) errors.push({ field: 'teamId', message: team.message });
  for (const name of settingNames) {
    const value: unknown = options[optionOf(name).attributeName()];
    if (value instanceof InvalidArgumentError) errors.push({ field: name, message: value.message });
    else if (value !== undefined) json[name] = value === removed ? null : value;
  }
  // The service will not see these settings, so this command adds the errors that the service would find.
  if (errors.length > 0) command.error([...errors, ...brokenRules(json)].map(describeError).join('\n'));
  // The parsers return the types of the settings.
  return json as UpdateKeyInput;
}

function brokenRules({ expiresAt, ...others }: SettingsJson): readonly FieldError[] {
  const moment = expiresAt === null ? null : new Date(String(expiresAt));
  const input = { ...others, ...(expiresAt === undefined ? {} : { expiresAt: moment }) };
  const errors: FieldError[] = [];
  acceptFields(parseChangedSettings(input as KeySettingsInput, new Date()), errors);
  return errors;
}

function describeError({ field, message }: FieldError): string {
  const [, name = '', rest = ''] = /^(\w+)(.*)$/s.exec(field) ?? [];
  const setting = settingNames.find((known) => known === name);
  const flag = setting === undefined ? 'team' : settings[setting].option.flag;
  return `error: --${flag}${rest}: ${message}`;
}

/** The settings that can be removed, by their names for `--remove`. */
const removable = new Map<string, SettingName>(
  settingNames.flatMap((name) => {
    const { option }: Setting = settings[name];
    return option.remove === undefined ? [] : [[option.remove, name]];
  }),
);

export function removeOption(): Option {
  return new Option('--remove <settings...>', 'settings to remove').choices([...removable.keys()]);
}

/** Returns the changes that remove the given settings. Ends the command if one of these settings is set too. */
export function removalsOf(names: readonly string[], set: UpdateKeyInput, command: Command): UpdateKeyInput {
  const removals = names.flatMap((remove) => {
    const name = removable.get(remove);
    if (name === undefined) return [];
    if (set[name] !== undefined) command.error(`error: setting and removing the ${remove} exclude each other`);
    const { kind }: Setting = settings[name];
    return [[name, kind === 'list' ? [] : null]];
  });
  return Object.fromEntries(removals);
}

/** The choices in the filter of a list of keys, and their translation to the API's filter. */
import { dayMs } from '../../../domain/moment.ts';
import type { KeyFilter, KeyState } from '../../generated/graphql.ts';
import { expiringSoonDays } from '../../key-form/expiry.ts';

export const longUnusedDays = 90;

export const criteria = [
  'search',
  'state',
  'env',
  'signing',
  'use',
  'expiry',
  'rotation',
  'externalId',
  // The time that `use` and `expiry` are relative to. Default: the current time.
  'at',
  'sort',
  'size',
  // The ids of the shown columns, with commas between them. Default: those that the browser remembers.
  'columns',
  // The name of a saved view.
  'view',
  'after',
  'page',
] as const;
export type Criterion = (typeof criteria)[number];
/** The choices in the filter. Texts are empty, and the list of tags too, where nothing is chosen. */
export type Chosen = Readonly<Record<Criterion, string>> & { readonly tag: readonly string[] };

const texts = Object.fromEntries(criteria.map((criterion) => [criterion, ''])) as Record<Criterion, string>;
export const nothingChosen: Chosen = { ...texts, tag: [] };

interface Choice {
  readonly value: string;
  readonly label: string;
}

const notRevoked: readonly KeyState[] = ['ACTIVE', 'EXPIRED', 'DISABLED'];
const states: readonly (Choice & { readonly states: readonly KeyState[]; readonly leaked?: boolean })[] = [
  { value: '', label: 'Not revoked', states: notRevoked },
  { value: 'active', label: 'Active', states: ['ACTIVE'] },
  { value: 'expired', label: 'Expired', states: ['EXPIRED'] },
  { value: 'leaked', label: 'Leaked', states: notRevoked, leaked: true },
  { value: 'disabled', label: 'Disabled', states: ['DISABLED'] },
  { value: 'revoked', label: 'Revoked', states: ['REVOKED'] },
  { value: 'all', label: 'Any', states: [...notRevoked, 'REVOKED'] },
];

const any: Choice = { value: '', label: 'Any' };

export const selects: readonly {
  readonly criterion: Criterion;
  readonly label: string;
  readonly choices: readonly Choice[];
}[] = [
  { criterion: 'state', label: 'State', choices: states.map(({ value, label }) => ({ value, label })) },
  {
    criterion: 'env',
    label: 'Environment',
    choices: [any, { value: 'live', label: 'live' }, { value: 'test', label: 'test' }],
  },
  {
    criterion: 'signing',
    label: 'Signing',
    choices: [any, { value: 'on', label: 'On' }, { value: 'off', label: 'Off' }],
  },
  {
    criterion: 'use',
    label: 'Use',
    choices: [
      any,
      { value: 'never', label: 'Never used' },
      { value: 'long', label: `Unused for ${longUnusedDays} days` },
    ],
  },
  {
    criterion: 'expiry',
    label: 'Expiry',
    choices: [any, { value: 'soon', label: `Within ${expiringSoonDays} days` }],
  },
  { criterion: 'rotation', label: 'Rotation', choices: [any, { value: 'on', label: 'Under way' }] },
];

/** The choices of an empty filter. */
export const cleared = {
  ...Object.fromEntries(
    ['search', 'externalId', ...selects.map(({ criterion }) => criterion)].map((name) => [name, '']),
  ),
  tag: [],
};

interface Part {
  /** The filter and its value in words. */
  readonly label: string;
  /** The change that removes it. */
  readonly without: Partial<Chosen>;
}

/** Returns the parts of the filter that are in use, without the search. */
export function partsOf(chosen: Chosen): readonly Part[] {
  const selected = selects.flatMap(({ criterion, label, choices }) => {
    const choice = choices.find(({ value }) => value !== '' && value === chosen[criterion]);
    return choice === undefined ? [] : [{ label: `${label}: ${choice.label}`, without: { [criterion]: '' } }];
  });
  const { tag: tags, externalId } = chosen;
  const tagged = tags.map((tag) => ({ label: `Tag: ${tag}`, without: { tag: tags.filter((other) => other !== tag) } }));
  const linked = externalId === '' ? [] : [{ label: `External ID: ${externalId}`, without: { externalId: '' } }];
  return [...selected, ...tagged, ...linked];
}

/** Returns the filter for the API. As in the overview, keys that expire soon do not include expired ones. */
export function filterOf(chosen: Chosen): KeyFilter {
  const at = Date.parse(chosen.at);
  const ageMs = Date.now() - at;
  // Links from the overview contain a time, which is ignored if it is more than a day ago or in the future.
  const now = ageMs >= 0 && ageMs < dayMs ? at : Date.now();
  const inDays = (days: number) => new Date(now + days * dayMs).toISOString();
  const state = states.find(({ value }) => value === chosen.state);
  const filter: KeyFilter = { state: [...(state?.states ?? notRevoked)] };
  if (state?.leaked === true) filter.leaked = true;
  if (chosen.search !== '') filter.search = chosen.search;
  if (chosen.env === 'live' || chosen.env === 'test') filter.env = chosen.env;
  if (chosen.signing === 'on' || chosen.signing === 'off') filter.signingEnabled = chosen.signing === 'on';
  if (chosen.use === 'never') filter.neverUsed = true;
  if (chosen.use === 'long') {
    filter.unusedSince = inDays(-longUnusedDays);
    filter.createdBefore = inDays(-longUnusedDays);
  }
  if (chosen.expiry === 'soon') {
    filter.expiresAfter = inDays(0);
    filter.expiresBefore = inDays(expiringSoonDays);
  }
  if (chosen.rotation === 'on') filter.rotating = true;
  if (chosen.tag.length > 0) filter.tags = [...chosen.tag];
  if (chosen.externalId !== '') filter.externalId = chosen.externalId;
  return filter;
}

/** Returns the text to search for: if it contains a whole key, only the key's prefix. */
export function searchOf(text: string): string {
  const [prefix] = /[a-z][a-z0-9]*_(?:live|test)_[0-9A-Za-z]{8}(?=_\w)/.exec(text) ?? [];
  return prefix ?? text.trim();
}

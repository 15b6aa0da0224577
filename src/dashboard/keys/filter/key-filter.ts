/** The fields of the filter of a list of keys, and their translation to the API's filter. */
import type { KeyFilter, KeyValueField } from '../../generated/graphql.ts';
import { expiringSoonDays } from '../../key-form/expiry.ts';
import { type Chosen, type Criterion, isList, type List } from './chosen.ts';
import { expiringSoon, inDays, stateOf } from './key-states.ts';

export const longUnusedDays = 90;

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Field {
  readonly criterion: Criterion;
  readonly label: string;
  readonly choices: readonly Choice[];
}

const unusedFor = (days: number, value = String(days)): Choice => ({ value, label: `Unused for ${days} days` });

/** The fields whose values are always the same. */
export const fields: readonly Field[] = [
  {
    criterion: 'env',
    label: 'Environment',
    choices: [
      { value: 'live', label: 'live' },
      { value: 'test', label: 'test' },
    ],
  },
  {
    criterion: 'sources',
    label: 'Allowed sources',
    choices: [
      { value: 'none', label: 'None: usable from anywhere' },
      { value: 'some', label: 'Some' },
    ],
  },
  {
    criterion: 'signing',
    label: 'Signing',
    choices: [
      { value: 'on', label: 'On' },
      { value: 'off', label: 'Off' },
    ],
  },
  {
    criterion: 'use',
    label: 'Use',
    choices: [
      { value: 'never', label: 'Never used' },
      unusedFor(7),
      unusedFor(30),
      unusedFor(longUnusedDays, 'long'),
      unusedFor(365),
    ],
  },
  {
    criterion: 'expiry',
    label: 'Expiry',
    choices: [
      { value: 'never', label: 'Never expires' },
      { value: 'soon', label: `Within ${expiringSoonDays} days` },
    ],
  },
  {
    criterion: 'limit',
    label: 'Rate limit',
    choices: [
      { value: 'none', label: 'None' },
      { value: 'some', label: 'Limited' },
    ],
  },
  { criterion: 'rotation', label: 'Rotation', choices: [{ value: 'on', label: 'Under way' }] },
  {
    criterion: 'policy',
    label: 'Policy',
    choices: [
      { value: 'violated', label: 'Violated' },
      { value: 'kept', label: 'Kept' },
    ],
  },
  {
    criterion: 'responsibleState',
    label: 'Who is responsible',
    choices: [
      { value: 'LEFT', label: 'Has left' },
      { value: 'INACTIVE', label: 'Not seen for 90 days' },
    ],
  },
];

export type ValueCriterion = 'externalId' | 'responsible' | 'creator' | List;

/** The fields whose values are those that keys have. */
export const valueFields: readonly {
  readonly criterion: ValueCriterion;
  readonly label: string;
  readonly field: KeyValueField;
}[] = [
  { criterion: 'tag', label: 'Tag', field: 'TAG' },
  { criterion: 'scope', label: 'Scope', field: 'SCOPE' },
  { criterion: 'externalId', label: 'External ID', field: 'EXTERNAL_ID' },
  { criterion: 'responsible', label: 'Responsible', field: 'RESPONSIBLE' },
  { criterion: 'creator', label: 'Created by', field: 'CREATED_BY' },
];

/** The choices of an empty filter. */
export const cleared: Partial<Chosen> = {
  ...Object.fromEntries(['search', 'state', ...fields.map(({ criterion }) => criterion)].map((name) => [name, ''])),
  externalId: '',
  responsible: '',
  creator: '',
  tag: [],
  scope: [],
};

interface Part {
  /** The filter and its value in words. */
  readonly label: string;
  /** The change that removes it. */
  readonly without: Partial<Chosen>;
}

/** Returns the parts of the filter that are in use, without the search and the state. */
export function partsOf(chosen: Chosen): readonly Part[] {
  const selected = fields.flatMap(({ criterion, label, choices }) => {
    const choice = choices.find(({ value }) => value === chosen[criterion]);
    return choice === undefined ? [] : [{ label: `${label}: ${choice.label}`, without: { [criterion]: '' } }];
  });
  const valued = valueFields.flatMap(({ criterion, label }) =>
    [chosen[criterion]]
      .flat()
      .filter((value) => value !== '')
      .map((value) => ({
        label: `${label}: ${value}`,
        without: { [criterion]: isList(criterion) ? chosen[criterion].filter((other) => other !== value) : '' },
      })),
  );
  return [...selected, ...valued];
}

/** Returns the filter for the API. As in the overview, keys that expire soon do not include expired ones. */
export function filterOf(chosen: Chosen): KeyFilter {
  const { states, more } = stateOf(chosen);
  return { ...conditionsOf(chosen), ...more?.(chosen), state: [...states] };
}

/** Returns the filter without the state. */
export function conditionsOf(chosen: Chosen): KeyFilter {
  const filter: KeyFilter = {};
  if (chosen.search !== '') filter.search = chosen.search;
  if (chosen.env === 'live' || chosen.env === 'test') filter.env = chosen.env;
  if (chosen.signing === 'on' || chosen.signing === 'off') filter.signingEnabled = chosen.signing === 'on';
  if (chosen.sources === 'none' || chosen.sources === 'some') filter.hasAllowedIps = chosen.sources === 'some';
  if (chosen.limit === 'none' || chosen.limit === 'some') filter.hasRateLimit = chosen.limit === 'some';
  if (chosen.use === 'never') filter.neverUsed = true;
  const unusedDays =
    chosen.use === 'long' ? longUnusedDays : isChoice('use', chosen.use) ? Number(chosen.use) : Number.NaN;
  if (unusedDays > 0) {
    filter.unusedSince = inDays(chosen, -unusedDays);
    filter.createdBefore = inDays(chosen, -unusedDays);
  }
  if (chosen.expiry === 'never') filter.neverExpires = true;
  if (chosen.expiry === 'soon') Object.assign(filter, expiringSoon(chosen));
  if (chosen.rotation === 'on') filter.rotating = true;
  if (chosen.policy === 'violated' || chosen.policy === 'kept') filter.violating = chosen.policy === 'violated';
  const { responsibleState } = chosen;
  if (responsibleState === 'LEFT' || responsibleState === 'INACTIVE') filter.responsibleState = [responsibleState];
  if (chosen.tag.length > 0) filter.tags = [...chosen.tag];
  if (chosen.scope.length > 0) filter.scopes = [...chosen.scope];
  if (chosen.externalId !== '') filter.externalId = chosen.externalId;
  if (chosen.responsible !== '') filter.responsible = chosen.responsible;
  if (chosen.creator !== '') filter.createdBy = chosen.creator;
  return filter;
}

function isChoice(criterion: Criterion, value: string): boolean {
  return fields.some(
    (field) => field.criterion === criterion && field.choices.some((choice) => choice.value === value),
  );
}

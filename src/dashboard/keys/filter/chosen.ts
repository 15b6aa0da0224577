/** What is chosen in a list of keys, as in its URL. */

export const criteria = [
  'search',
  'state',
  'env',
  'signing',
  'use',
  'expiry',
  'rotation',
  'sources',
  'limit',
  'policy',
  'responsibleState',
  'externalId',
  'responsible',
  'creator',
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
/** Several values can be chosen: a key must have all of them. */
export const lists = ['tag', 'scope'] as const;
export type List = (typeof lists)[number];
/** The choices in the filter. Texts are empty, and lists too, where nothing is chosen. */
export type Chosen = Readonly<Record<Criterion, string>> & Readonly<Record<List, readonly string[]>>;

const texts = Object.fromEntries(criteria.map((criterion) => [criterion, ''])) as Record<Criterion, string>;
export const nothingChosen: Chosen = { ...texts, tag: [], scope: [] };

export const isList = (criterion: string): criterion is List => lists.some((list) => list === criterion);

/** Returns the change that selects a value too. */
export function withValue(chosen: Chosen, criterion: Criterion | List, value: string): Partial<Chosen> {
  return { [criterion]: isList(criterion) ? [...new Set([...chosen[criterion], value])] : value };
}

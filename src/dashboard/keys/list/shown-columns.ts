/** Which columns a list shows. Apart from their cells, because the list is requested before they have loaded. */
import type { Chosen } from '../filter/chosen.ts';
import { useStoredList } from '../filter/saved-views.ts';

/** By their ids. They show what a review needs. */
const hiddenAtFirst = [
  'tags',
  'externalId',
  'responsible',
  'description',
  'sources',
  'signing',
  'scopes',
  'limit',
  'creator',
];
const isText = (value: unknown): value is string => typeof value === 'string';

/** The columns of the link, or all except those that the browser remembers as hidden. */
export function useShownColumns({ columns }: Chosen) {
  const [hidden, setHidden] = useStoredList('latchkey-hidden-columns', hiddenAtFirst, isText);
  const isLinked = columns !== '';
  const linked = columns.split(',');
  return { isShown: (id: string) => (isLinked ? linked.includes(id) : !hidden.includes(id)), isLinked, setHidden };
}

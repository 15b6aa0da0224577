import type { ChangeKind } from '../changes/change-kind.ts';
import type { Key } from './columns.tsx';

/** How one key of the list is changed. */
export interface RowActions {
  /** Asks first if the key has expired. */
  readonly renew: (key: Key) => void;
  readonly enable: (key: Key) => void;
  /** Opens the dialog that confirms a change. */
  readonly ask: (kind: ChangeKind, key: Key) => void;
}

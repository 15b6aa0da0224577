import type { KeyRing } from '../domain/key-ring.ts';
import type { RandomBytes } from '../domain/secret.ts';
import type { Store } from '../store/store.ts';

/** What the use cases work with. */
export interface Management {
  readonly store: Store;
  readonly keyTag: string;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  readonly maxKeysPerTeam: number;
  readonly randomBytes: RandomBytes;
}

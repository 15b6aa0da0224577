/** Random choices of the next change of a key, and of how a key is presented. */

import type { Circumstances } from '../proof/history/format.ts';
import type { Change, KeyState } from './key-model.ts';
import type { Random } from './random.ts';

/** Addresses in the narrow allow-list, only in the wide one, and in neither. */
export const sources = { tight: '192.0.2.17', loose: '198.51.100.7', outside: '203.0.113.9' } as const;
const tightList: readonly string[] = ['192.0.2.0/24'];
const looseList: readonly string[] = [...tightList, sources.loose];

/** The restrictions that a key can have. */
const scopeLists: readonly (readonly string[])[] = [[], ['read'], ['read', 'write']];

export interface ChoiceContext {
  readonly random: Random;
  /** Names are never used twice, so that the name in a verdict identifies the state that it is based on. */
  readonly newName: () => string;
  /** The system clock of the service, and how long after it a key expires. */
  readonly now: number;
  readonly expiresInMs: readonly [least: number, most: number];
}

interface Kind {
  /** How often it is chosen, compared with the others. */
  readonly weight: number;
  /** Whether it changes a key in this state, and the verdict depends on it. */
  readonly isUseful: (state: KeyState) => boolean;
  readonly change: (state: KeyState, context: ChoiceContext) => Change;
}

/** The verdict of a disabled, frozen or expired key does not depend on other changes. */
const ifActive =
  (isUseful: Kind['isUseful'] = () => true): Kind['isUseful'] =>
  (state) =>
    state.disabledAt === null && !state.frozen && state.expiresAt === null && isUseful(state);

const updated = (settings: (state: KeyState, context: ChoiceContext) => Partial<KeyState>): Kind['change'] => {
  return (state, context) => ({ kind: 'updateKey', settings: settings(state, context) });
};

const kinds = {
  rename: { weight: 2, isUseful: () => true, change: updated((_, { newName }) => ({ name: newName() })) },
  scope: {
    weight: 3,
    isUseful: ifActive(),
    change: updated(({ scopes }, { random }) => ({
      scopes: random.pick(scopeLists.filter(({ length }) => length !== scopes.length)),
    })),
  },
  tighten: {
    weight: 4,
    isUseful: ifActive(({ allowedIps }) => allowedIps.length !== tightList.length),
    change: updated(({ allowedIps }, { random }) => ({
      allowedIps: allowedIps.length === 0 && random.chance(0.3) ? looseList : tightList,
    })),
  },
  loosen: {
    weight: 5,
    isUseful: ifActive(({ allowedIps }) => allowedIps.length > 0),
    change: updated(({ allowedIps }, { random }) => ({
      allowedIps: allowedIps.length === tightList.length && random.chance(0.5) ? looseList : [],
    })),
  },
  expire: {
    weight: 2,
    isUseful: ifActive(),
    change: updated((_, { random, now, expiresInMs: [least, most] }) => ({
      expiresAt: new Date(now + random.whole(least, most)).toISOString(),
    })),
  },
  renew: {
    weight: 8,
    isUseful: ({ expiresAt, disabledAt }) => expiresAt !== null && disabledAt === null,
    change: updated(() => ({ expiresAt: null })),
  },
  // Also of a disabled key: then it decides which secret works once the key is enabled.
  rotate: {
    weight: 2,
    isUseful: ({ expiresAt }) => expiresAt === null,
    change: () => ({ kind: 'rotateKey', overlapSeconds: 0 }),
  },
  'rotate with overlap': {
    weight: 3,
    isUseful: ifActive(),
    change: () => ({ kind: 'rotateKey', overlapSeconds: 3600 }),
  },
  'end overlap': {
    weight: 5,
    isUseful: ifActive(({ previousSecretExpiresAt }) => previousSecretExpiresAt !== null),
    change: () => ({ kind: 'endOverlap' }),
  },
  disable: { weight: 3, isUseful: ifActive(), change: () => ({ kind: 'disableKey' }) },
  enable: { weight: 8, isUseful: ({ disabledAt }) => disabledAt !== null, change: () => ({ kind: 'enableKey' }) },
  // Not of a frozen key, whose fence nobody would lift.
  revoke: { weight: 2, isUseful: ({ frozen }) => !frozen, change: () => ({ kind: 'revokeKey' }) },
  freeze: { weight: 3, isUseful: ifActive(), change: () => ({ kind: 'freezeKeys' }) },
  lift: { weight: 8, isUseful: ({ frozen }) => frozen, change: () => ({ kind: 'unfreezeKeys' }) },
  'enable signing': {
    weight: 4,
    isUseful: ifActive(({ signingEnabled }) => !signingEnabled),
    change: () => ({ kind: 'enableSigning' }),
  },
  'rotate signing': {
    weight: 4,
    isUseful: ifActive(({ signingEnabled }) => signingEnabled),
    change: () => ({ kind: 'rotateSigningSecret' }),
  },
  'disable signing': {
    weight: 3,
    isUseful: ifActive(({ signingEnabled }) => signingEnabled),
    change: () => ({ kind: 'disableSigning' }),
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** The name of a kind of changes, for people. */
export type ChangeName = 'create' | keyof typeof kinds;

export interface ChosenChange {
  readonly name: ChangeName;
  readonly change: Change;
}

export function usefulChange(
  state: KeyState,
  context: ChoiceContext,
  { signing = true, fences = true } = {},
): ChosenChange {
  return chosen(state, context, (name, kind) => {
    if (isOfFence(name) && !fences) return false;
    return kind.isUseful(state) && (signing || !name.endsWith('signing'));
  });
}

const isOfFence = (name: string) => name === 'freeze' || name === 'lift';

/** Also one that changes nothing, or that must be rejected; without fences, of which a key has one at a time. */
export function anyChange(state: KeyState, context: ChoiceContext): ChosenChange {
  return chosen(state, context, (name) => !isOfFence(name));
}

function chosen(state: KeyState, context: ChoiceContext, isPossible: (name: string, kind: Kind) => boolean) {
  const possible = Object.entries(kinds).filter(([name, kind]) => isPossible(name, kind));
  const weights = Object.fromEntries(possible.map(([name, { weight }]) => [name, weight]));
  const name = context.random.pickWeighted(weights as Record<keyof typeof kinds, number>);
  return { name, change: kinds[name].change(state, context) };
}

/** What the presenters of a key know of it. */
export interface PresentedKey {
  readonly env: string;
  /** How many secrets and signing secrets were issued. */
  readonly secrets: { readonly length: number };
  readonly signingSecrets: { readonly length: number };
}

const sourceNames = { tight: 5, loose: 3, outside: 1, none: 1 } as const;
const signatures = { newest: 5, previous: 2, none: 2, foreign: 1 } as const;
const requiredScopes: readonly (readonly string[])[] = [[], [], ['read'], ['write']];

export function anyCircumstances(key: PresentedKey, random: Random): Circumstances {
  const source = random.pickWeighted(sourceNames);
  const other = key.env === 'live' ? 'test' : 'live';
  return {
    secret: random.chance(0.7) ? newest(key) : previous(key),
    scopes: random.pick(requiredScopes),
    env: random.pick([null, null, null, key.env, key.env, null, other]),
    source: source === 'none' ? null : sources[source],
    signedWith: signedWith(key, random.pickWeighted(signatures)),
  };
}

/** Circumstances of which each change of a key alters the verdict of some. */
export function tellingCircumstances(key: PresentedKey): readonly Circumstances[] {
  const unsigned = { secret: newest(key), scopes: [], env: null, source: sources.tight, signedWith: null };
  const signed = { ...unsigned, signedWith: signedWith(key, 'newest') };
  return [
    unsigned,
    signed,
    { ...signed, source: sources.loose },
    { ...unsigned, signedWith: signedWith(key, 'previous') },
    { ...signed, secret: previous(key) },
    { ...signed, scopes: ['read'] },
  ];
}

const newest = ({ secrets }: PresentedKey) => secrets.length - 1;
const previous = ({ secrets }: PresentedKey) => Math.max(0, secrets.length - 2);

function signedWith({ signingSecrets: { length } }: PresentedKey, which: keyof typeof signatures): number | null {
  if (length === 0 || which === 'none') return null;
  if (which === 'foreign') return -1;
  return which === 'newest' || length === 1 ? length - 1 : length - 2;
}

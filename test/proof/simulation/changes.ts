/** The changes of keys: when each is possible, the state that it leaves, and the use case that makes it. */
import { hash } from 'node:crypto';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { disableKey, enableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { updateKey } from '../../../src/manage/change/update-key.ts';
import type { Caller, Management } from '../../../src/manage/management.ts';
import { looseList, scopeLists, tightList } from '../../chaos/torture/circumstances.ts';
import type { Random } from '../../load/random.ts';
import type { KeyState } from '../history/format.ts';

export interface SimulatedKey {
  /** The name in the history. */
  readonly name: string;
  readonly id: string;
  readonly isImported: boolean;
  /** All secrets that were issued, in order. */
  readonly secrets: string[];
  /** The state after the last change, which may not have been made. */
  state: KeyState;
  /** Whether another team has imported the first secret, so that it is rejected without a reason. */
  isContested: boolean;
}

/** Makes a change. Returns the new secret, if there is one. */
export type Perform = (management: Management, caller: Caller) => Promise<string | null>;

export interface Step {
  readonly after: KeyState;
  readonly perform: Perform;
}

interface Circumstances {
  readonly random: Random;
  readonly newName: () => string;
  /** The system clock of the process that will get the call. */
  readonly date: number;
  readonly otherTeamId: string;
}

interface Kind {
  /** How often it is chosen, compared with the other kinds. */
  readonly weight: (key: SimulatedKey) => number;
  readonly step: (key: SimulatedKey, circumstances: Circumstances) => Step;
}

const always = (weight: number) => () => weight;
/** The verdict of a disabled or expired key does not depend on other changes. */
const ifActive = (weight: number, isPossible: (key: SimulatedKey) => boolean = () => true): Kind['weight'] => {
  return (key) => (key.state.disabled || key.state.expiresAt !== null || !isPossible(key) ? 0 : weight);
};

const update =
  (fieldsOf: (key: SimulatedKey, circumstances: Circumstances) => Partial<KeyState>): Kind['step'] =>
  (key, circumstances) => {
    const fields = fieldsOf(key, circumstances);
    const { name, scopes, allowed, expiresAt } = fields;
    const settings = {
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes }),
      ...(allowed !== undefined && { allowedIps: allowed }),
      ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
    };
    return {
      after: { ...key.state, ...fields },
      perform: (management, caller) => updateKey(management, caller, key.id, settings).then(noSecret),
    };
  };

const simple =
  (fields: Partial<KeyState>, change: (management: Management, caller: Caller, id: string) => Promise<unknown>) =>
  (key: SimulatedKey): Step => ({
    after: { ...key.state, ...fields },
    perform: (management, caller) => change(management, caller, key.id).then(noSecret),
  });

const rotate =
  (overlapSeconds: number) =>
  (key: SimulatedKey): Step => ({
    after: { ...key.state, secret: key.secrets.length, overlap: overlapSeconds > 0 },
    perform: async (management, caller) => (await rotateKey(management, caller, key.id, { overlapSeconds })).secret,
  });

const kinds: Readonly<Record<string, Kind>> = {
  rename: { weight: always(2), step: update((_, { newName }) => ({ name: newName() })) },
  scope: {
    weight: ifActive(2),
    step: update(({ state }, { random }) => ({
      scopes: random.pick(scopeLists.filter(({ length }) => length !== state.scopes.length)),
    })),
  },
  tighten: {
    weight: ifActive(4, ({ state }) => state.allowed.length !== 1),
    step: update(({ state }, { random }) => ({
      allowed: state.allowed.length === 0 && random.chance(0.3) ? looseList : tightList,
    })),
  },
  loosen: {
    weight: ifActive(5, ({ state }) => state.allowed.length > 0),
    step: update(({ state }, { random }) => ({
      allowed: state.allowed.length === 1 && random.chance(0.5) ? looseList : [],
    })),
  },
  expire: {
    weight: ifActive(1),
    step: update((_, { random, date }) => ({ expiresAt: date + random.whole(300, 1500) })),
  },
  renew: {
    weight: ({ state }) => (state.expiresAt === null || state.disabled ? 0 : 8),
    step: update(() => ({ expiresAt: null })),
  },
  disable: { weight: ifActive(3), step: simple({ disabled: true }, disableKey) },
  enable: { weight: ({ state }) => (state.disabled ? 8 : 0), step: simple({ disabled: false }, enableKey) },
  rotate: { weight: ifActive(2), step: rotate(0) },
  'rotate with overlap': { weight: ifActive(3), step: rotate(3600) },
  'end overlap': {
    weight: ifActive(5, ({ state }) => state.overlap),
    step: simple({ overlap: false }, endOverlap),
  },
  revoke: { weight: always(2), step: simple({ revoked: true }, revokeKey) },
  /** Another team imports the first secret. From then on, that secret is rejected, as if it were revoked or rotated. */
  contest: {
    weight: ({ isImported, isContested, state }) =>
      isImported && !isContested && (state.secret === 0 || (state.secret === 1 && state.overlap)) ? 1 : 0,
    step: (key, { otherTeamId }) => ({
      after: { ...key.state, ...(key.state.secret === 0 ? { revoked: true } : { overlap: false }) },
      perform: async (management, caller) => {
        const digest = hash('sha256', key.secrets[0] ?? '', 'hex');
        const keys = [{ digest, name: 'Contested', env: 'live' as const }];
        await importKeys(management, caller, { teamId: otherTeamId, keys, dryRun: false });
        return null;
      },
    }),
  },
};

function noSecret(): null {
  return null;
}

export function chooseKind(key: SimulatedKey, random: Random): string {
  return random.pickWeighted(
    Object.fromEntries(Object.entries(kinds).map(([name, { weight }]) => [name, weight(key)])),
  );
}

export function stepOf(key: SimulatedKey, kind: string, circumstances: Circumstances): Step {
  const found = kinds[kind];
  if (found === undefined) throw new RangeError(`there is no change "${kind}"`);
  return found.step(key, circumstances);
}

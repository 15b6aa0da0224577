/** The use cases that make the changes of keys, and one change that only the simulator makes. */
import { hash } from 'node:crypto';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { disableKey, enableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { updateKey } from '../../../src/manage/change/update-key.ts';
import { freezeKeys } from '../../../src/manage/fences/freeze-keys.ts';
import { liftFence } from '../../../src/manage/fences/lift-fence.ts';
import type { Caller, Management } from '../../../src/manage/management.ts';
import { type ChoiceContext, usefulChange } from '../../harness/key-choices.ts';
import { type Change, type KeyState, outcomeOf } from '../../harness/key-model.ts';

export interface SimulatedKey {
  /** The name in the history. */
  readonly name: string;
  readonly id: string;
  readonly isImported: boolean;
  /** All secrets that were issued, in order. */
  readonly secrets: string[];
  /** The fence that freezes this key alone, by its external id, which is its name in the history. */
  fenceId: string | null;
  /** The state after the last change, which may not have been made. */
  state: KeyState;
}

/** Makes a change. Returns the new secret, if there is one. */
export type Perform = (management: Management, caller: Caller) => Promise<string | null>;

export interface Step {
  readonly name: string;
  readonly after: KeyState;
  readonly perform: Perform;
}

/** Steps that no program makes. */
export const bySessions = ['import again', 'freeze', 'unfreeze'];

export function nextStep(key: SimulatedKey, context: ChoiceContext, { teamId, otherTeamId }: Teams): Step {
  const at = new Date(context.now).toISOString();
  if (key.isImported && context.random.chance(0.05)) return importAgain(key, otherTeamId, context);
  if (key.state.frozen ? context.random.chance(0.4) : context.random.chance(0.06)) return freezeOrLift(key, teamId);
  const { name, change } = usefulChange(key.state, context, { signing: false, fences: false });
  const outcome = outcomeOf(key.state, change, { actor: null, at, prefix: '' });
  if (outcome.kind !== 'changed') throw new Error(`"${name}" changes nothing: ${outcome.kind}`);
  return { name, after: outcome.after, perform: (management, caller) => perform(management, caller, key.id, change) };
}

async function perform(management: Management, caller: Caller, id: string, change: Change): Promise<string | null> {
  switch (change.kind) {
    case 'updateKey': {
      const { expiresAt, ...settings } = change.settings;
      const expiry = expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt) };
      await updateKey(management, caller, id, { ...settings, ...expiry });
      return null;
    }
    case 'rotateKey':
      return (await rotateKey(management, caller, id, { overlapSeconds: change.overlapSeconds })).secret;
    case 'endOverlap':
    case 'disableKey':
    case 'enableKey':
    case 'revokeKey':
      await { endOverlap, disableKey, enableKey, revokeKey }[change.kind](management, caller, id);
      return null;
    default:
      throw new RangeError(`no caller makes the change ${change.kind}`);
  }
}

interface Teams {
  readonly teamId: string;
  readonly otherTeamId: string;
}

function freezeOrLift(key: SimulatedKey, teamId: string): Step {
  const { state, name } = key;
  if (state.frozen) {
    return {
      name: 'unfreeze',
      after: { ...state, frozen: false },
      perform: async (management, caller) => {
        await liftFence(management, caller, key.fenceId ?? '');
        return null;
      },
    };
  }
  return {
    name: 'freeze',
    after: { ...state, frozen: true },
    perform: async (management, caller) => {
      const { fence } = await freezeKeys(management, caller, { teamId, reason: 'A drill', externalId: name });
      key.fenceId = fence?.id ?? null;
      return null;
    },
  };
}

/** Another team imports the first secret, by the same digest or by the other one. That changes nothing. */
function importAgain({ state, secrets }: SimulatedKey, otherTeamId: string, { random }: ChoiceContext): Step {
  const algorithm = random.pick(['sha256', 'sha512'] as const);
  return {
    name: 'import again',
    after: state,
    perform: async (management, caller) => {
      const digest = hash(algorithm, secrets[0] ?? '', 'hex');
      const keys = [{ digest, name: 'Imported later', env: 'live' as const }];
      await importKeys(management, caller, { teamId: otherTeamId, keys, dryRun: false });
      return null;
    },
  };
}

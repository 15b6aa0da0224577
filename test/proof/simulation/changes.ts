/** The use cases that make the changes of keys, and one change that only the simulator makes. */
import { hash } from 'node:crypto';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { disableKey, enableKey, revokeKey } from '../../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { updateKey } from '../../../src/manage/change/update-key.ts';
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

export function nextStep(key: SimulatedKey, context: ChoiceContext, otherTeamId: string): Step {
  const at = new Date(context.now).toISOString();
  if (key.isImported && context.random.chance(0.05)) return importAgain(key, otherTeamId, context);
  const { name, change } = usefulChange(key.state, context, { signing: false });
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

/** Programs that change keys with a management key, which is revoked while their calls are under way. */
import { authenticateManagementKey } from '../../../src/manage/access/authenticate-management-key.ts';
import { createManagementKey } from '../../../src/manage/access/create-management-key.ts';
import { revokeManagementKey } from '../../../src/manage/access/revoke-management-key.ts';
import type { Caller, Management } from '../../../src/manage/management.ts';
import { unlimitedCalls } from '../../support/unlimited-calls.ts';
import type { World } from './world.ts';

export interface Program {
  readonly id: string;
  readonly secret: string;
  /** Revoked: the revocation was answered. Ending: it was sent. */
  state: 'active' | 'ending' | 'revoked';
}

type Perform<Answer> = (management: Management, caller: Caller) => Promise<Answer>;

interface ProgramsOptions {
  readonly world: World;
  readonly teamId: string;
  /** Makes a call as a person, at any instance. Returns null if it got no answer. */
  readonly call: <Answer>(perform: Perform<Answer>) => Promise<Answer | null>;
}

const lifetimeMs = [100, 1000] as const;
const dayMs = 86_400_000;
const retryMs = 100;

export class Programs {
  readonly #options: ProgramsOptions;
  #current: Program | null = null;
  #revoked: Program | null = null;

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  /** Makes and revokes one management key after the other. */
  async run(isOver: () => boolean): Promise<void> {
    const { world } = this.#options;
    while (!isOver()) {
      const program = await this.#create();
      if (program === null) {
        await world.pause(retryMs);
        continue;
      }
      this.#current = program;
      await world.pause(world.random.between(...lifetimeMs));
      await this.#revoke(program);
    }
  }

  /** Returns the program that makes the next change; null if a person makes it. A revoked program tries again. */
  next(): Program | null {
    const { random } = this.#options.world;
    if (random.chance(0.7)) return null;
    return random.chance(0.05) ? this.#revoked : this.#current;
  }

  async #create(): Promise<Program | null> {
    const { call, teamId } = this.#options;
    const made = await call((management, caller) => {
      const expiresAt = new Date(caller.now.getTime() + dayMs);
      return createManagementKey(management, caller, {
        teamId,
        name: 'A program',
        permissions: ['manage_keys'],
        expiresAt,
      });
    });
    return made === null ? null : { id: made.managementKey.id, secret: made.secret, state: 'active' };
  }

  /** Repeats the revocation until it is answered. */
  async #revoke(program: Program): Promise<void> {
    const { call, world } = this.#options;
    program.state = 'ending';
    while ((await call((management, caller) => revokeManagementKey(management, caller, program.id))) === null) {
      await world.pause(retryMs);
    }
    program.state = 'revoked';
    this.#revoked = program;
  }
}

/** Authenticates a call, as `authentication.ts` does. */
export async function callerOf(management: Management, { secret }: Program, now: Date): Promise<Caller> {
  const call = { source: null, requestId: 'request', now };
  const request = { method: 'POST', url: 'https://keys.example/graphql', headers: {} };
  return (await authenticateManagementKey(management, { ...call, secret, request, calls: unlimitedCalls })).caller;
}

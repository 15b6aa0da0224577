/** The changes that clients have requested, their answers, and the expected state of each key, in a process that is never killed. */
import { randomUUID } from 'node:crypto';
import type { ChangeName } from '../harness/key-choices.ts';
import type { Change, KeyState } from '../harness/key-model.ts';
import type { Random } from '../harness/random.ts';
import { Pool } from './pool.ts';

export const transports = ['REST', 'GraphQL'] as const;
export type Transport = (typeof transports)[number];

/** A call that was answered, or rejected because the store does not answer. Times are those of performance.now(). */
export interface TimedCall {
  /** The port. */
  readonly at: string;
  readonly started: number;
  readonly ended: number;
}

export interface Answer {
  readonly ended: number;
  /** The code of a rejection; null when the change was made, or there was nothing to change. */
  readonly rejection: string | null;
  /** The fields of the key that the answer had. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly secret?: string;
  readonly signingSecret?: string;
}

export interface Operation {
  /** The `sub` of the session token. Each operation has its own, which its audit entry names. */
  readonly actor: string;
  readonly transport: Transport;
  readonly name: ChangeName;
  readonly change: Change;
  /** Null for a new key. */
  readonly keyId: string | null;
  readonly at: string;
  readonly started: number;
  /** When a reply came, also one that says that the store does not answer. */
  ended: number | null;
  /** Null while there is no answer, and permanently if it was cut off or said that the store does not answer. */
  answer: Answer | null;
  /** The `Latchkey-Revision` of the answer; absent or null without one. */
  revision?: string | null;
}

export interface Step {
  readonly revision: number;
  readonly at: string;
  readonly operation: Operation;
  readonly after: KeyState;
}

export interface KeyHistory {
  readonly id: string;
  readonly createdAt: string;
  /** In the order of revisions; the first is its creation. */
  readonly steps: Step[];
}

/** A signed verification that was answered with VALID. A repeat must be rejected, even after kills. */
interface UsedSignature {
  readonly call: string;
  readonly keyId: string;
  readonly secret: string;
  readonly signingSecret: string;
}

export class Ledger {
  readonly teamId = randomUUID();
  readonly pool: Pool;
  /** Those that are not settled, by actor. */
  readonly operations = new Map<string, Operation>();
  readonly keys = new Map<string, KeyHistory>();
  readonly usedSignatures: UsedSignature[] = [];
  /** Unexpected answers. */
  readonly strange: string[] = [];
  /** Of every audit entry seen, in order. */
  readonly revisions: number[] = [];
  /** How many changes took a revision and wrote nothing: at least, and at most. */
  readonly unused = { least: 0, most: 0 };
  /** Of the operations in the order of revisions, the latest start so far: no later one may have ended before it. */
  latestStart = Number.NEGATIVE_INFINITY;
  #actors = 0;
  #awaited: { count: number; readonly resolve: () => void } | null = null;

  constructor(random: Random) {
    this.pool = new Pool(random);
  }

  /** The changes that were made, or may have been made, in the order of their requests. */
  get changes(): readonly Operation[] {
    return [...this.operations.values()].filter(({ answer }) => answer === null || answer.rejection === null);
  }

  /** Resolves as soon as so many more operations have been answered. */
  async moreAnswers(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#awaited = { count, resolve };
    });
  }

  noteAnswer(): void {
    if (this.#awaited === null) return;
    this.#awaited.count -= 1;
    if (this.#awaited.count <= 0) this.#awaited.resolve();
  }

  nextActor(): string {
    this.#actors += 1;
    return `operation-${this.#actors}`;
  }
}

export function currentState({ steps }: KeyHistory): KeyState {
  const last = steps.at(-1);
  if (last === undefined) throw new Error('a key without its creation');
  return last.after;
}

/** The secrets of a key, in order; null where the answer that had it was lost, or it was imported. */
export function issuedSecrets({ steps }: KeyHistory): readonly (string | null)[] {
  const issuing = steps.filter(({ operation }) =>
    ['createKey', 'importKeys', 'rotateKey'].includes(operation.change.kind),
  );
  return issuing.map(({ operation }) => operation.answer?.secret ?? null);
}

/** The signing secrets of a key, in order; null where the answer that had it was lost. */
export function issuedSigningSecrets({ steps }: KeyHistory): readonly (string | null)[] {
  const issuing = steps.filter(({ operation }) =>
    ['enableSigning', 'rotateSigningSecret'].includes(operation.change.kind),
  );
  return issuing.map(({ operation }) => operation.answer?.signingSecret ?? null);
}

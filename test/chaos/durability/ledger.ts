/** The requests of the clients, their answers and the expected state of each key, in a process that is never killed. */
import { randomUUID } from 'node:crypto';
import type { Change, KeyState } from './model.ts';

export interface Answer {
  readonly ended: number;
  /** The code of a rejection; null when the operation was done. */
  readonly rejection: string | null;
  /** The fields of the key that the answer had. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly secret?: string;
  readonly signingSecret?: string;
}

export interface Operation {
  /** The `sub` of the session token. Each operation has its own, which its audit entry names. */
  readonly actor: string;
  readonly transport: 'REST' | 'GraphQL';
  readonly change: Change;
  /** Null for a create. */
  readonly keyId: string | null;
  readonly started: number;
  /** Null while there is no answer, and permanently if it was cut off or said that the store does not answer. */
  answer: Answer | null;
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

/** A key as clients know it during a round. */
export interface Handle {
  readonly id: string;
  secret: string | null;
  signingSecret: string | null;
}

/** A signed verification that was answered with VALID. A repeat must be rejected, even after kills. */
export interface UsedSignature {
  readonly call: string;
  readonly keyId: string;
  readonly secret: string;
  readonly signingSecret: string;
}

export class Ledger {
  readonly teamId = randomUUID();
  /** Of the current round, by actor. */
  readonly operations = new Map<string, Operation>();
  readonly keys = new Map<string, KeyHistory>();
  readonly handles: Handle[] = [];
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

/** The secrets of a key, the last one first; null where the answer that had it was lost. */
export function secretsOf({ steps }: KeyHistory): (string | null)[] {
  const issuing = steps.filter(({ operation: { change } }) => change.kind === 'create' || change.kind === 'rotateKey');
  return issuing.map(({ operation }) => operation.answer?.secret ?? null).reverse();
}

/** The signing secrets ever answered for a key; `current` is null when signing is off or its answer was lost. */
export function signingSecretsOf({ steps }: KeyHistory): { current: string | null; former: string[] } {
  let current: string | null = null;
  const former: string[] = [];
  for (const { operation, after } of steps) {
    const { kind } = operation.change;
    if (kind !== 'enable' && kind !== 'rotate' && after.signingEnabled) continue;
    if (current !== null) former.push(current);
    current = after.signingEnabled ? (operation.answer?.signingSecret ?? null) : null;
  }
  return { current, former };
}

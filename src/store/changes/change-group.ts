/**
 * Applies a group of changes in one transaction: decides each change on the state after the previous changes, then
 * writes all. Other work of the event loop runs before each statement, because SQLite blocks the thread.
 */
import { type Credential, credentialEnded } from '../../domain/access/credential.ts';
import type { IdempotentCreate } from '../../domain/key/idempotency.ts';
import { isReceiptAction } from '../../domain/receipt/receipt.ts';
import type { RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import { isClientMade } from '../../domain/secret/secret-shape.ts';
import { nextTurn } from '../../lib/scheduler.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { rowFromEntry } from '../rows/audit-rows.ts';
import { acceptedCredentials } from '../rows/credentials.ts';
import { type KeyRow, rowFromKey } from '../rows/key-rows.ts';
import { rotateSecretUse } from '../rows/secret-use.ts';
import { type BulkRows, exposureTable, idempotentTable, rotatedTable } from './bulk-rows.ts';
import type { Change, RecordedExposure, RowWrite, Write } from './change.ts';
import { loadKeyState, noteWrite } from './key-state.ts';
import { takeRevisions } from './revisions.ts';
import { insertEntries, insertKeys, updateKeys } from './written-rows.ts';

type Changes = readonly Change<unknown>[];

export interface Submitted {
  readonly change: Change<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles one change of a group, after the transaction has been committed. */
export type Settle = () => void;

export interface Applied {
  readonly settlements: readonly Settle[];
  /** The entries that a receipt can be about. */
  readonly receipted: readonly bigint[];
  readonly leaseMs: number;
}

/** Whether a change shares its state, and so its transaction, with others. */
export function isShared({ load }: Change<unknown>): boolean {
  return 'needs' in load;
}

/** @param group changes that share their state, or one that does not */
export async function applyGroup(bulk: BulkRows, group: readonly Submitted[]): Promise<Applied> {
  const { transaction, scheduler } = bulk;
  const taken = await takeRevisions(transaction, group.length);
  await nextTurn(scheduler);
  const changes = group.map(({ change }) => change);
  const credentials = changes.flatMap(({ caller }) => caller?.credential ?? []);
  const isAccepted = await acceptedCredentials(transaction, credentials, new Date(scheduler.date()));
  const states = await loadStates(bulk, changes, taken.policies);
  const written = decideInTurn(group, { ...states, isAccepted }, taken.current - BigInt(group.length));
  const more = Number(written.last - taken.current);
  if (more > 0) await takeRevisions(transaction, more);
  if (written.hasForeignForm && !taken.imports)
    await transaction.revision.update({ where: { id: 1 }, data: { imports: true } });
  for (const write of written.rows) await write(bulk);
  await insertKeys(bulk, written.created);
  await bulk.insert(idempotentTable, written.idempotentCreates);
  await updateKeys(bulk, [...written.updated.values()]);
  await bulk.insert(rotatedTable, written.rotated);
  await rotateSecretUse(bulk, written.rotated);
  await bulk.insert(exposureTable, written.exposures);
  await insertEntries(bulk, written.entries);
  await nextTurn(scheduler);
  // No instance keeps another state that is not shared: its readers ask the store.
  const isLeased = changes.every(isShared) || written.concernsVerdicts;
  const { settlements, receipted } = written;
  return { settlements, receipted, leaseMs: isLeased ? taken.leaseMs : 0 };
}

/** Decides each change of keys on the current state, without writing. Throws the error of the first that fails. */
export async function previewGroup(bulk: BulkRows, changes: Changes): Promise<readonly unknown[]> {
  const { policies } = await bulk.transaction.revision.findUniqueOrThrow({ where: { id: 1 } });
  const { stateOf } = await loadStates(bulk, changes, policies);
  return changes.map((change) => change.decide(stateOf(change), 0n).answer);
}

interface States {
  readonly stateOf: (change: Change<unknown>) => unknown;
  readonly note: (write: Write, revision: bigint) => void;
}

async function loadStates(bulk: BulkRows, changes: Changes, hasPolicies: boolean): Promise<States> {
  const { transaction, provider } = bulk;
  const [first] = changes;
  if (first !== undefined && 'read' in first.load) {
    const state = await first.load.read(transaction);
    return { stateOf: () => state, note: () => {} };
  }
  const needed = changes.flatMap(({ load }) => ('needs' in load ? [load.needs] : []));
  const keys = await loadKeyState(transaction, provider, needed, hasPolicies);
  return {
    stateOf: ({ load }) => ('pick' in load ? load.pick(keys) : null),
    note: (write, revision) => noteWrite(keys, write, revision),
  };
}

/** What a group writes, and how its changes are answered. */
class GroupWrite {
  readonly created: KeyRow[] = [];
  /** Whether a key has a secret in a form that is foreign to older edges: they look up such texts only if told to. */
  hasForeignForm = false;
  /** Rows by key id: several changes of one key in a group result in one row. */
  readonly updated = new Map<string, KeyRow>();
  readonly rotated: RotatedSecret[] = [];
  readonly exposures: RecordedExposure[] = [];
  readonly entries: Prisma.AuditEntryCreateManyInput[] = [];
  readonly idempotentCreates: IdempotentCreate[] = [];
  readonly rows: RowWrite[] = [];
  concernsVerdicts = false;
  readonly receipted: bigint[] = [];
  readonly settlements: Settle[] = [];
  /** The last revision that is used. */
  last: bigint;

  constructor(revisionBefore: bigint) {
    this.last = revisionBefore;
  }

  add({ key, isNew, rotated, idempotentCreate, exposures = [], entries = [], rows = [], ...write }: Write): void {
    for (const [i, entry] of entries.entries()) {
      const revision = this.last + BigInt(i + 1);
      this.entries.push(rowFromEntry(entry, revision));
      if (isReceiptAction(entry.action)) this.receipted.push(revision);
    }
    this.last += BigInt(Math.max(1, entries.length));
    if (key !== undefined && isNew === true) {
      this.created.push(rowFromKey(key, this.last));
      this.hasForeignForm ||= key.importRevision !== null;
    } else if (key !== undefined) this.updated.set(key.id, rowFromKey(key, this.last));
    if (key !== undefined && (isNew === true || rotated !== undefined))
      this.hasForeignForm ||= isClientMade(key.prefix);
    if (rotated !== undefined) this.rotated.push(rotated);
    if (idempotentCreate !== undefined) this.idempotentCreates.push(idempotentCreate);
    this.exposures.push(...exposures);
    this.rows.push(...rows);
    this.concernsVerdicts ||= write.concernsVerdicts === true;
  }
}

interface LoadedGroup extends States {
  readonly isAccepted: (credential: Credential) => boolean;
}

function decideInTurn(
  group: readonly Submitted[],
  { stateOf, note, isAccepted }: LoadedGroup,
  revisionBefore: bigint,
): GroupWrite {
  const written = new GroupWrite(revisionBefore);
  for (const { change, resolve, reject } of group) {
    try {
      const credential = change.caller?.credential ?? null;
      if (credential !== null && !isAccepted(credential)) throw credentialEnded(credential);
      const { answer, write } = change.decide(stateOf(change), written.last + 1n);
      if (write !== undefined) rejectOtherCredential(change, write);
      if (write !== undefined) {
        written.add(write);
        note(write, written.last);
      }
      const { last } = written;
      written.settlements.push(() => {
        change.caller?.changed?.(last);
        resolve(answer);
      });
    } catch (error) {
      written.settlements.push(() => reject(error));
    }
  }
  return written;
}

/** A change that does not say with what its caller authenticated would be written after a revocation too. */
function rejectOtherCredential({ caller }: Change<unknown>, { entries = [] }: Write): void {
  const id = caller?.credential?.id ?? null;
  if (entries.every(({ credentialId }) => credentialId === id)) return;
  throw new Error('a change has no credential, or another one than its entries of the log');
}

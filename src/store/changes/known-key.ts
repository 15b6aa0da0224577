/**
 * Writes a change of one key that its use case has read already, with one statement: PostgreSQL over a network then takes
 * two round trips for a revocation instead of seven. The statement takes the revision, and with it the lock that all
 * changes take. Only then it compares the revision of the row with the one that was read, so it decides on the same state
 * as a transaction would: PostgreSQL evaluates the condition again on the row that the lock let through (READ COMMITTED,
 * EvalPlanQual). If the row is another one, nothing but the revision advances, and the change is made in a transaction.
 * It needs no state of a session, so it works behind a pooler that shares connections between transactions.
 */
import { raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { isReceiptAction } from '../../domain/receipt/receipt.ts';
import { tableOf } from '../json-rows.ts';
import { rowFromEntry } from '../rows/audit-rows.ts';
import { rowFromKey } from '../rows/key-rows.ts';
import { auditTable, type BulkRows, keyTable } from './bulk-rows.ts';
import type { Change, LoadedKeys, Write } from './change.ts';
import type { Applied, Submitted } from './change-group.ts';
import { KnownExposures } from './known-exposures.ts';

interface Written {
  readonly current: bigint;
  readonly leaseMs: number;
}

/** Returns null if nothing was written, because only a transaction can decide on the change. */
export async function applyToKnownKey(bulk: BulkRows, { change, resolve }: Submitted): Promise<Applied | null> {
  const known = knownKeyOf(change);
  if (known === null) return null;
  const state = stateWith(change, known);
  const write = writeOf(change, state, known);
  if (write === null) return null;
  const [written] = await bulk.transaction.$queryRaw<Written[]>(statementOf(bulk, known, write));
  if (written === undefined) return null;
  const { current, leaseMs } = written;
  // Decided again with the revision that it got, which the answer has.
  const { answer } = change.decide(state, current);
  const settle = () => {
    change.caller?.changed?.(current);
    resolve(answer);
  };
  // Of several entries, the last one has the revision that the answer names.
  const receipted = write.entries.some(({ action }) => isReceiptAction(action)) ? [current] : [];
  return { settlements: [settle], receipted, leaseMs };
}

/** A credential has to be read under the lock, so changes of programs take a transaction. */
function knownKeyOf({ load, caller }: Change<unknown>): StoredKey | null {
  return 'needs' in load && (caller?.credential ?? null) === null ? (load.known ?? null) : null;
}

function stateWith({ load }: Change<unknown>, key: StoredKey): unknown {
  const keys: LoadedKeys = {
    keys: new Map([[key.id, key]]),
    counts: new Map(),
    idempotentCreates: new Map(),
    byDigest: new Map(),
    exposures: new KnownExposures(),
    policies: new Map(),
    byExternalName: new Map(),
  };
  return 'pick' in load ? load.pick(keys) : null;
}

type KnownWrite = Required<Pick<Write, 'key' | 'entries'>>;

/** Returns null for a rejection too: the transaction rejects it by the state that it reads. */
function writeOf(change: Change<unknown>, state: unknown, known: StoredKey): KnownWrite | null {
  try {
    const { key, entries = [], ...others } = change.decide(state, known.revision).write ?? {};
    if (key === undefined || entries.length === 0 || Object.keys(others).length > 0) return null;
    return { key, entries };
  } catch {
    return null;
  }
}

const keyColumns = raw(
  keyTable.columns
    .filter((column) => column !== 'id' && column !== 'revision')
    .map((column) => `"${column}" = n."${column}"`)
    .join(', '),
);
const entryNames = auditTable.columns.map((column) => `"${column}"`);
const entryColumns = raw(entryNames.join(', '));
const entryValues = raw(
  entryNames.map((name) => (name === '"revision"' ? `n.${name} + r."current"` : `n.${name}`)).join(', '),
);

/** Entries get the revisions up to the new one, of which the key gets the last. */
function statementOf({ provider }: BulkRows, known: StoredKey, { key, entries }: KnownWrite): Sql {
  const keyRow = tableOf(provider, keyTable, [rowFromKey(key, known.revision)]);
  const count = entries.length;
  const entryRows = entries.map((entry, i) => rowFromEntry(entry, BigInt(i + 1 - count)));
  return sql`WITH r AS (
      UPDATE "Revision" SET "current" = "current" + ${count} WHERE "id" = 1 RETURNING "current", "leaseMs"
    ), k AS (
      UPDATE "ApiKey" AS k SET ${keyColumns}, "revision" = r."current" FROM r, ${keyRow} AS n
      WHERE k."id" = n."id" AND k."revision" = ${known.revision} RETURNING k."id"
    ), e AS (
      INSERT INTO "AuditEntry" (${entryColumns})
      SELECT ${entryValues} FROM r, ${tableOf(provider, auditTable, entryRows)} AS n WHERE EXISTS (SELECT 1 FROM k)
    )
    SELECT "current", "leaseMs" FROM r WHERE EXISTS (SELECT 1 FROM k)`;
}

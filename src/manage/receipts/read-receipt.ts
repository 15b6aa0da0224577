import type { AuditEntry } from '../../domain/audit-entry.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { isAboutKey } from '../../domain/event/event-types.ts';
import { accessOf } from '../../domain/key/permission.ts';
import {
  isReceiptAction,
  promiseText,
  type ReceiptAction,
  type ReceiptStatement,
  type VerifierStatement,
} from '../../domain/receipt/receipt.ts';
import { type SignedReceipt, signReceipt } from '../../domain/receipt/receipt-signature.ts';
import type { StoredVerifier } from '../../store/rows/receipts.ts';
import { maxLeaseMs } from '../../wire/feed-messages.ts';
import { type Caller, forbidden, type Management } from '../management.ts';

export interface Receipt extends SignedReceipt {
  readonly statement: ReceiptStatement;
}

type ReceiptedEntry = AuditEntry & { readonly action: ReceiptAction };

const hourMs = 3_600_000;
/** Small enough for one answer. With more, no receipt is complete. */
const maxVerifiers = 500;
/** The clocks of processes differ, and a timer fires late. */
const toleranceMs = 1000;

/**
 * Returns the signed statement about a change, by the `Latchkey-Revision` of its answer. Waits for leases, as answers
 * without a change do. Needs `view_team` on the team of the change. Throws RECEIPT_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function readReceipt(management: Management, caller: Caller, revision: string): Promise<Receipt> {
  const { store, revisions, signingKeks } = management;
  const entry = authorizeReceipt(caller, await entryAt(management, revision));
  const answeredAt = await store.receipts.answeredAt(entry.revision);
  await store.changes.waitForLease();
  const issuedAt = new Date();
  const heard = await store.receipts.verifiers(new Date(issuedAt.getTime() - hourMs), maxVerifiers + 1);
  const verifiers = heard.slice(0, maxVerifiers);
  const statement: ReceiptStatement = {
    version: 1,
    revision: revisions.encode(entry.revision),
    action: entry.action,
    teamId: entry.teamId,
    subject: await subjectOf(management, entry),
    requestedAt: entry.at.toISOString(),
    requestedBy: entry.actor,
    answeredAt: answeredAt?.toISOString() ?? null,
    inForceSince: (answeredAt ?? issuedAt).toISOString(),
    promise: promiseText,
    verifiers: verifiers.map((verifier) => stateOf(verifier, entry.revision)),
    complete: heard.length <= maxVerifiers && heard.every((verifier) => isDone(verifier, entry.revision, issuedAt)),
    lastUse: await lastUseOf(management, entry, verifiers),
    issuedAt: issuedAt.toISOString(),
  };
  return { statement, ...signReceipt(statement, signingKeks) };
}

async function entryAt({ store, revisions }: Management, text: string): Promise<AuditEntry | null> {
  const revision = revisions.decode(text);
  return revision === null ? null : ((await store.auditLog.find([revision]))[0] ?? null);
}

/** Callers of other teams get RECEIPT_NOT_FOUND, as for an unknown revision. */
function authorizeReceipt({ session }: Caller, entry: AuditEntry | null): ReceiptedEntry {
  const found = entry === null ? 'none' : accessOf(session, entry.teamId, 'view_team');
  if (entry === null || found === 'none' || !isReceipted(entry)) {
    const message =
      'There is no receipt for this revision: give the Latchkey-Revision of a revocation, rotation or freeze.';
    throw new LatchkeyError('RECEIPT_NOT_FOUND', message);
  }
  if (found === 'lacking') throw forbidden('view_team');
  return entry;
}

function isReceipted(entry: AuditEntry): entry is ReceiptedEntry {
  return isReceiptAction(entry.action);
}

async function subjectOf({ store }: Management, { keyId, action, details }: ReceiptedEntry) {
  if (isAboutKey(action)) {
    const key = (await store.keys.forEvents([keyId])).get(keyId);
    return { id: keyId, name: key?.name ?? null, prefix: key?.prefix ?? null };
  }
  const { managementKey, fence } = (details ?? {}) as {
    readonly managementKey?: { readonly name: string; readonly prefix: string };
    readonly fence?: { readonly reason: string };
  };
  return { id: keyId, name: managementKey?.name ?? fence?.reason ?? null, prefix: managementKey?.prefix ?? null };
}

function stateOf(verifier: StoredVerifier, revision: bigint): VerifierStatement {
  const { id, kind, confirmedAt, seenAt } = verifier;
  return verifier.revision >= revision
    ? { id, kind, state: 'CONFIRMED', at: confirmedAt.toISOString() }
    : { id, kind, state: 'SILENT', at: seenAt.toISOString() };
}

/** A verifier that was heard of before it had confirmed the change can rely on the older state for one lease at most. */
function isDone(verifier: StoredVerifier, revision: bigint, now: Date): boolean {
  return verifier.revision >= revision || now.getTime() - verifier.seenAt.getTime() > maxLeaseMs + toleranceMs;
}

/** Use is counted in memory and sent later. `reportedUntil` is when the verifier that was silent for longest was heard of. */
async function lastUseOf(
  { store }: Management,
  { keyId, action }: ReceiptedEntry,
  verifiers: readonly StoredVerifier[],
) {
  if (!isAboutKey(action)) return null;
  const acceptedAt = (await store.usage.lastUsed([keyId])).get(keyId) ?? null;
  const reports = verifiers.map(({ seenAt }) => seenAt.getTime());
  const reportedUntil = reports.length === 0 ? null : new Date(Math.min(...reports)).toISOString();
  return { acceptedAt: acceptedAt?.toISOString() ?? null, reportedUntil };
}

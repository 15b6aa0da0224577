/**
 * What the fields of the schema cost, in points. A point is about 60 µs of processor time or 1 kB of answer, whichever
 * is more; the figures were measured with 10,000 keys in a team (test/support/expensive-documents.ts).
 */
import { type GraphQLNamedType, isEnumType, isLeafType } from 'graphql';
import { limits } from '../domain/limits.ts';

export type Arguments = Readonly<Record<string, unknown>>;

export interface FieldCost {
  /** Of the field itself, whatever is selected of it. */
  readonly cost?: number;
  /** Kilobytes of a text that has no short limit: at most what one object can have. */
  readonly text?: number;
  /** How many objects the selection is answered for; 1 when absent. */
  readonly objects?: number;
  /** How many of them can have their text at most; as many as there are objects when absent. */
  readonly texts?: number;
  /** The same for the fields of a page that are answered for each of its entries. */
  readonly entries?: number;
  readonly entryTexts?: number;
}

/** A body has at most 64 kB, so that no list in it is longer. */
const list: FieldCost = { text: 64 };
const change: FieldCost = { cost: 95 };

/** Of looking at all keys of the team, and of sorting them. */
const scan = 170;
const sort = 130;
const hourMs = 3_600_000;
/** The verdicts on a key that was found. */
const countedVerdicts = 9;

const costs: Readonly<Record<string, FieldCost | ((args: Arguments) => FieldCost)>> = {
  'Query.viewer': { cost: 8 },
  'Query.key': { cost: 10 },
  'Query.keys': (args) => page(args, costOfSearch(args)),
  'Query.auditLog': (args) => page(args),
  'Query.usage': hours,
  'Query.teamUsage': hours,
  'Query.keysOverview': { cost: 200 },
  'Query.explainVerification': { cost: 60 },
  'Mutation.createKey': change,
  'Mutation.importKeys': ({ keys }) => ({ cost: 20 + 4 * lengthOf(keys), entries: lengthOf(keys) }),
  'Mutation.updateKey': ({ input }) => ({ cost: 95 + 2 * kilobytesOf(input) }),
  'Mutation.revokeKey': change,
  'Mutation.revokeKeys': { cost: 500 },
  'Mutation.enableSigning': change,
  'Mutation.rotateSigningSecret': change,
  'Mutation.disableSigning': change,
  'ApiKeyConnection.totalCount': { cost: 100 },
  'ApiKeyEdge.cursor': { cost: 0.15, text: 86 },
  'ApiKey.name': { cost: 0.3 },
  'ApiKey.allowedIps': list,
  'ApiKey.lastUsedAt': { cost: 0.3 },
  'AuditEntry.actor': list,
  'AuditEntry.changes': { cost: 0.4 },
  'AuditChange.field': { text: 20 },
  'AuditChange.before': list,
  'AuditChange.after': list,
  // Where they are given, `before` and `after` are null: the same text, counted there.
  'AuditChange.added': { text: 0 },
  'AuditChange.removed': { text: 0 },
  'Viewer.subject': { cost: 0.8 },
  'Viewer.teams': { objects: 150 },
  'VerificationExplanation.checks': { objects: 7 },
  'VerificationCheck.explanation': { cost: 1 },
  '__Schema.types': { objects: 45 },
  '__Schema.directives': { objects: 6 },
  '__Type.fields': { objects: 3 },
  '__Type.enumValues': { objects: 2 },
};

/** Fields of a page, or of the answer to an import, whose selection is answered for each entry. */
const perEntry: ReadonlySet<string> = new Set([
  'ApiKeyConnection.edges',
  'ApiKeyConnection.nodes',
  'AuditEntryConnection.edges',
  'AuditEntryConnection.nodes',
  'ImportKeysPayload.results',
]);

/** Bytes that a value has in the answer. */
const bytes: Readonly<Record<string, number>> = { UUID: 38, DateTime: 26, Boolean: 5, Int: 11, ID: 26 };
const otherBytes = 60;
/** The quotation marks, colon and comma around the name of a field, and the brackets of an object. */
const punctuationBytes = 6;

export function isPerEntry(field: string): boolean {
  return perEntry.has(field);
}

/** `field` is `Type.field`, `key` its name in the answer. */
export function costOf(field: string, key: string, type: GraphQLNamedType, args: Arguments): FieldCost {
  const known = costs[field];
  const { cost = 0, ...rest } = (typeof known === 'function' ? known(args) : known) ?? {};
  const isShort = isLeafType(type) && rest.text === undefined;
  const value = isShort ? (bytes[type.name] ?? (isEnumType(type) ? 26 : otherBytes)) : 0;
  return { ...rest, cost: cost + (key.length + value + punctuationBytes) / 1000 };
}

/** Nothing where the index of a team's keys has the page, in its order. */
function costOfSearch({ filter, orderBy }: Arguments): number {
  const { state, ...conditions } = isRecord(filter) ? filter : {};
  const isWhole = state == null || (Array.isArray(state) && state.includes('ACTIVE') && state.includes('EXPIRED'));
  const isScan = !isWhole || Object.values(conditions).some((condition) => condition != null);
  const isSort = isRecord(orderBy) && orderBy.field !== 'CREATED_AT';
  return (isScan || isSort ? scan : 0) + (isSort ? sort : 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** A page ends early when its texts are longer than two entries can have (src/manage/page.ts). */
function page({ first }: Arguments, cost = 0): FieldCost {
  // What is out of bounds is rejected by the use case, before it costs anything.
  const entries = typeof first === 'number' ? Math.min(Math.max(first, 1), limits.pageSize) : limits.pageSize;
  return { cost: cost + 30 + entries * 0.2, entries, entryTexts: Math.min(entries, 2) };
}

function hours({ from, to }: Arguments): FieldCost {
  const span = from instanceof Date && to instanceof Date ? Math.ceil((to.getTime() - from.getTime()) / hourMs) : 0;
  const rows = countedVerdicts * Math.min(Math.max(span, 1), 31 * 24);
  return { cost: 20 + rows * 0.03, objects: rows };
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? Math.min(value.length, limits.importedKeys) : 0;
}

function kilobytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '') / 1000;
}

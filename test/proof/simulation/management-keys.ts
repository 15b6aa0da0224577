/** The management keys of the simulated PostgreSQL. */
import type { Prisma } from '../../../src/store/generated/sqlite/client.ts';

type Row = Prisma.ManagementKeyGetPayload<object>;
type Run = <Result>(statement: () => Result) => Promise<Result>;

interface Where {
  readonly id?: { readonly in: readonly string[] };
  readonly digest?: { readonly in: readonly string[] };
  readonly previousDigest?: { readonly in: readonly string[] };
  readonly revokedAt?: null;
}

export class ManagementKeyTable {
  readonly #rows = new Map<string, Row>();

  reads(run: Run) {
    const find = (where: Where) => [...this.#rows.values()].filter((row) => matches(row, where));
    return {
      findUnique: ({ where: { id } }: { readonly where: { readonly id: string } }) =>
        run(() => this.#rows.get(id) ?? null),
      findFirst: ({ where }: { readonly where: Where }) => run(() => find(where)[0] ?? null),
      findMany: ({ where }: { readonly where: Where }) => run(() => find(where)),
      // No team reaches its limit.
      count: () => run(() => 0),
    };
  }

  /** @param writes what the transaction writes at its commit */
  writes(run: Run, writes: (() => void)[]) {
    return {
      create: ({ data }: { readonly data: Row }) => run(() => void writes.push(() => this.#rows.set(data.id, data))),
      update: ({ where: { id }, data }: { readonly where: { readonly id: string }; readonly data: Omit<Row, 'id'> }) =>
        run(() => void writes.push(() => this.#rows.set(id, { id, ...data }))),
    };
  }

  /** Whether an entry of this credential may be committed now: not after the revocation of the key was committed. */
  accepts(credentialId: string | null): boolean {
    return credentialId === null || this.#rows.get(credentialId)?.revokedAt === null;
  }
}

function matches(row: Row, { id, digest, previousDigest, revokedAt }: Where): boolean {
  if (id !== undefined && !id.in.includes(row.id)) return false;
  if (digest !== undefined && !digest.in.includes(row.digest)) return false;
  if (previousDigest !== undefined && !previousDigest.in.includes(row.previousDigest ?? '')) return false;
  return revokedAt === undefined || row.revokedAt === null;
}

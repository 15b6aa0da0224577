import type { Prisma } from '../generated/sqlite/client.ts';

/**
 * Takes revisions, and with them the lock that all changes take first: what is decided under it stays as it was read until
 * the commit, and revisions are committed in order. `current` is the last one that was taken. Unused ones do no harm.
 * @param count 0 for the lock alone
 */
export async function takeRevisions({ revision }: Pick<Prisma.TransactionClient, 'revision'>, count: number) {
  return await revision.update({ where: { id: 1 }, data: { current: { increment: count } } });
}

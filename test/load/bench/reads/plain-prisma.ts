/** The reads of the floors with Prisma: a page of a team's keys, newest first. */
import { openDatabase } from '../../../../src/store/database.ts';
import type { PrismaClient } from '../../../../src/store/generated/sqlite/client.ts';

export async function openReader(file: string): Promise<PrismaClient> {
  return (await openDatabase({ provider: 'sqlite', file })).reader;
}

export const keysOf = (teamId: string) => ({ teamId, revokedAt: null });

export async function pageOf(reader: PrismaClient, teamId: string, take: number) {
  const rows = await reader.apiKey.findMany({
    where: keysOf(teamId),
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take,
    select: { id: true, name: true, env: true, prefix: true, createdAt: true, use: { select: { lastUsedAt: true } } },
  });
  return rows.map(({ use, createdAt, ...key }) => ({
    ...key,
    lastUsedAt: use?.lastUsedAt.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }));
}

/**
 * What the peers of `npm run load -- bench reads` share that do the work of Latchkey with the usual packages: a session token,
 * a rate limit, a page with a cursor and the last uses, and the same bytes. They have no code of Latchkey.
 */
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import jwt from 'jsonwebtoken';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { PrismaClient } from '../../../../src/store/generated/sqlite/client.ts';

const [, file = '', secret = ''] = process.argv.slice(2);
const reader = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: `file:${file}` }) });
const limiter = new RateLimiterMemory({ points: 100_000_000, duration: 60 });

export interface Session {
  readonly subject: string;
  readonly teams: Readonly<Record<string, readonly string[]>>;
}

/** Throws for a token that is not valid, and above the rate limit. */
export async function authenticate(authorization = ''): Promise<Session> {
  const claims = jwt.verify(authorization.replace(/^Bearer /, ''), secret, { algorithms: ['HS256'] });
  if (typeof claims === 'string' || claims.sub === undefined) throw new Error('the token has no subject');
  await limiter.consume(claims.sub);
  return { subject: claims.sub, teams: claims.teams };
}

export function authorize({ teams }: Session, teamId: string): void {
  if (teams[teamId]?.includes('view_team') !== true) throw new Error('view_team is missing');
}

const ofTeam = (teamId: string) => ({ teamId, revokedAt: null });

export async function countOf(teamId: string): Promise<number> {
  return await reader.apiKey.count({ where: ofTeam(teamId) });
}

/** Returns a page of a team's keys, newest first. */
export async function pageOf(teamId: string, first: number, after: string | null) {
  const rows = await reader.apiKey.findMany({
    where: { ...ofTeam(teamId), ...(after === null ? {} : olderThan(after)) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: first + 1,
    select: { id: true, name: true, env: true, prefix: true, createdAt: true, use: { select: { lastUsedAt: true } } },
  });
  const nodes = rows.slice(0, first).map(({ id, name, env, prefix, use, createdAt }) => ({
    id,
    name,
    env,
    prefix,
    lastUsedAt: use?.lastUsedAt.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }));
  const last = rows.slice(0, first).at(-1);
  const endCursor = last === undefined ? null : cursorOf(last.createdAt, last.id);
  return { nodes, pageInfo: { hasNextPage: rows.length > first, endCursor } };
}

function cursorOf(createdAt: Date, id: string): string {
  return Buffer.from(JSON.stringify(['CREATED_AT', createdAt.getTime(), id])).toString('base64url');
}

function olderThan(cursor: string) {
  const [, time, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const createdAt = new Date(time);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}

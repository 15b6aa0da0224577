/** The keys of a run. */
import { randomUUID } from 'node:crypto';
import { both, rest, sessionToken } from '../../support/service.ts';

interface SoakKey {
  readonly id: string;
  readonly secret: string;
}

export interface SoakKeys {
  readonly team: string;
  readonly token: string;
  /** Few enough to stay in the cache. */
  readonly hot: readonly SoakKey[];
  /** Too many for the cache. */
  readonly cold: readonly SoakKey[];
  readonly restricted: readonly SoakKey[];
  readonly signing: readonly (SoakKey & { readonly signingSecret: string })[];
  readonly revoked: readonly SoakKey[];
  /** They are created and revoked during the run, which keeps their number. The oldest comes first. */
  readonly passing: SoakKey[];
}

export const cacheKeys = 500;
export const allowedSource = '198.51.100.7';
const counts = { hot: 200, cold: 2000, restricted: 50, signing: 50, revoked: 50, passing: 100 };

export async function createKeys(url: string): Promise<SoakKeys> {
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  const create = async (): Promise<SoakKey> =>
    (await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' })).body;
  const change = (key: SoakKey, method: string, path = '', body?: unknown) =>
    rest(url, token, method, `/v1/keys/${key.id}${path}`, body);
  const restricted = await many(counts.restricted, create);
  await Promise.all(
    restricted.map((key) => change(key, 'PATCH', '', { allowedIps: [`${allowedSource} # the office`] })),
  );
  const revoked = await many(counts.revoked, create);
  await Promise.all(revoked.map((key) => change(key, 'DELETE')));
  const signing = await many(counts.signing, async () => {
    const key = await create();
    return { ...key, signingSecret: String((await change(key, 'POST', '/signing/enable')).body.signingSecret) };
  });
  return {
    team,
    token,
    hot: await many(counts.hot, create),
    cold: await many(counts.cold, create),
    restricted,
    signing,
    revoked,
    passing: await many(counts.passing, create),
  };
}

const atOnce = 50;

async function many<T>(count: number, create: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) {
    all.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, count - all.length) }, create))));
  }
  return all;
}

/** Another team that reads a key and revokes keys while management is attacked. */
import type { BenchServer } from '../bench/server.ts';
import { type Encounter, measure, medianRow, type Row, type Stage } from './attack.ts';
import { victimAddress } from './load.ts';
import type { LoadPlan } from './load-plan.ts';
import { rawRequest } from './raw-connection.ts';
import type { Tenant } from './tenants.ts';

const readsPerSecond = 20;
const revokesPerSecond = 5;

const keysPerMeasurement = (stage: Stage) => revokesPerSecond * (stage.seconds + 1);

/** The number of keys that the team needs: one to read, and those to revoke, also in the measurement for warming up. */
export function victimKeys(stage: Stage): number {
  return 1 + keysPerMeasurement(stage) * (1 + 2 * stage.rounds);
}

export async function measureManagement(
  stage: Stage,
  { url }: BenchServer,
  { token }: Tenant,
  [read = '', ...toRevoke]: readonly string[],
  begin: Encounter['begin'],
): Promise<readonly Row[]> {
  const calls = (method: string, ids: readonly string[], perSecond: number): LoadPlan => ({
    url,
    requests: ids.map((id) => rawRequest({ method, path: `/v1/keys/${id}`, token })),
    connections: 16,
    addresses: [victimAddress],
    perSecond,
  });
  const plans: Readonly<Record<string, Encounter['plan']>> = {
    [`a read of another team, ${readsPerSecond}/s`]: () => calls('GET', [read], readsPerSecond),
    [`a revoke of another team, ${revokesPerSecond}/s`]: () =>
      calls('DELETE', toRevoke.splice(0, keysPerMeasurement(stage)), revokesPerSecond),
  };
  const rows: Row[] = [];
  for (const [victim, plan] of Object.entries(plans)) {
    rows.push(medianRow(victim, await measure(stage, { victim, plan, begin })));
  }
  return rows;
}

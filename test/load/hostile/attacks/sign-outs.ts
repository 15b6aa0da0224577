/** 64 connections of one team's members sign out, each session once and then again. Another team changes its webhook. */
import { randomBytes, randomUUID } from 'node:crypto';
import { newSessionId, SessionSeal } from '../../../../src/auth/browser-session.ts';
import type { Permission } from '../../../../src/domain/key/permission.ts';
import { keyRing } from '../../../../src/domain/secret/key-ring.ts';
import { progress } from '../../../harness/print.ts';
import { rest } from '../../../support/service.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, measure, medianRow } from '../attack.ts';
import { flood, victimAddress } from '../load.ts';
import { newWebhookTenant } from '../tenants.ts';

const connections = 64;
/** For each round of the attack. They last longer than one, so that sign-outs are written all the time. */
const sessions = 20_000;
const changesPerSecond = 5;

export const signOuts: Attack = {
  name: 'sign-outs',
  run: async (stage) => {
    const bytes = randomBytes(32);
    const server = await stage.start({
      SIGNING_KEKS: `attack:${bytes.toString('base64')}`,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    });
    const seal = new SessionSeal(keyRing([{ id: 'attack', bytes }]));
    const victim = newWebhookTenant();
    // No key is created, so that nothing is delivered.
    const webhook = { teamId: victim.team, url: 'http://127.0.0.1:65000/', types: ['key.created'] };
    const created = await rest(server.url, victim.token, 'POST', '/v1/webhooks', webhook);
    if (created.status !== 201) throw new Error(`no webhook: ${created.status}`);
    const path = `/v1/webhooks/${created.body.id}`;
    const changes = ['A', 'B'].map((description) =>
      rawRequest({ method: 'PATCH', path, token: victim.token, body: { description } }),
    );
    const measured = await measure({
      victim: `a webhook change of another team, ${changesPerSecond}/s`,
      plan: () => ({
        url: server.url,
        requests: changes,
        connections: 16,
        addresses: [victimAddress],
        perSecond: changesPerSecond,
      }),
      begin: async () => {
        progress(`sealing ${sessions} sessions`);
        return await flood(server.url, await signOutsOf(seal, randomUUID()), connections, { expected: 'signOutUrl' });
      },
    });
    return [medianRow(measured)];
  },
};

/** Each member has a subject of its own, and so a limit of operations of its own. */
async function signOutsOf(seal: SessionSeal, team: string): Promise<readonly string[]> {
  const endsAt = new Date(Date.now() + 3_600_000);
  const teams = new Map([[team, new Set<Permission>(['view_team'])]]);
  return await Promise.all(
    Array.from({ length: sessions }, async () => {
      const session = { subject: randomUUID(), teams, teamNames: new Map() };
      const cookie = await seal.seal({ id: newSessionId(), session, usableUntil: endsAt, endsAt, provider: null });
      const headers = { Cookie: `latchkey-session=1.${cookie}`, 'Latchkey-Session': 'current' };
      return rawRequest({ method: 'DELETE', path: '/session', headers });
    }),
  );
}

/**
 * A team waits for events with 60 calls, for types that it never has, and makes a change every second. Others read and
 * revoke their keys.
 */

import { rest } from '../../../support/service.ts';
import { flood } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import type { Assault, Attack } from '../attack.ts';
import { createKeys, managedKeys, measureManagement, newTenant, tokenFor } from '../tenants.ts';

/** As many calls of a team as may wait, less than a caller's share of 16 each. */
const callers = 4;
const waits = 60;
const changesPerSecond = 1;

export const longPolls: Attack = {
  name: 'long-polls',
  run: async (stage) => {
    const server = await stage.start();
    const [victim, attacker] = [newTenant(), newTenant()];
    const keys = await createKeys(server, victim, managedKeys);
    const [changed] = await createKeys(server, attacker, 1);
    const begin = async (): Promise<Assault> => {
      const latest = await rest(server.url, attacker.token, 'GET', `/v1/events?teamId=${attacker.team}&after=latest`);
      const query = `teamId=${attacker.team}&after=${latest.body.next}&types=key.exposed&wait=30`;
      const polls = Array.from({ length: callers }, () =>
        rawRequest({ method: 'GET', path: `/v1/events?${query}`, token: tokenFor({ [attacker.team]: ['view_team'] }) }),
      );
      const renames = Array.from({ length: 2 }, (_, i) => {
        const body = { name: `Name ${i}` };
        return rawRequest({ method: 'PATCH', path: `/v1/keys/${changed?.id}`, token: attacker.token, body });
      });
      const waiting = await flood(server.url, polls, waits);
      const changing = await flood(server.url, renames, 1, { perSecond: changesPerSecond });
      return {
        stop: async () => {
          await waiting.stop();
          return await changing.stop();
        },
      };
    };
    const ids = keys.map(({ id }) => id);
    return await measureManagement(server, victim, ids, begin);
  },
};

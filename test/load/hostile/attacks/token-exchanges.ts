/**
 * Clients exchange tokens of workloads at `POST /v1/token`: tokens that a rule accepts and that none does, oversized ones, and
 * those of other issuers; or tokens of a trusted issuer whose keys never arrive. Other teams exchange theirs and use keys.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import type { Server } from '../../../harness/server.ts';
import { importing, rest } from '../../../support/service.ts';
import { flood, victimAddress } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, type Encounter, measure, medianRow, type Row, type Stage } from '../attack.ts';
import { createKeys, managedKeys, measureManagement, newTenant, type Tenant, tokenFor } from '../tenants.ts';

const connections = 64;
/** As in the attack bad-tokens. */
const callsPerSecond = 500;
const exchangesPerSecond = 5;
const oversizedCharacters = 60_000;
const repository = '74231';

/** A trusted issuer, which signs tokens and answers requests for its keys, unless it is silent. */
interface Issuer {
  readonly url: string;
  readonly sign: (claims: object, kid?: string) => string;
  readonly stop: () => void;
}

async function startIssuer({ isSilent = false } = {}): Promise<Issuer> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }];
  const server: HttpServer = createServer((_, response) => {
    if (isSilent) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    sign: (claims, keyid = 'one') =>
      jwt.sign({ repository_id: repository, ...claims }, privateKey, {
        ...{ algorithm: 'ES256', keyid, issuer: url, audience: 'latchkey', expiresIn: 3600, subject: 'a job' },
        jwtid: randomUUID(),
      }),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function exchangeRequest(team: string, token: string): string {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    subject_token: token,
    audience: team,
  });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return rawRequest({ method: 'POST', path: '/v1/token', body: form.toString(), headers });
}

async function tenantWithRule({ url }: Server, issuer: Issuer): Promise<Tenant> {
  const { team } = newTenant();
  const token = tokenFor({ [team]: [...importing, 'manage_access'] });
  const rule = { name: 'A rule', issuer: issuer.url, audience: 'latchkey', claims: { repository_id: repository } };
  const permissions = ['view_team'];
  const made = await rest(url, token, 'POST', '/v1/trust-rules', { teamId: team, permissions, ...rule });
  if (made.status !== 201) throw new Error(`no trust rule: ${made.status}`);
  return { team, token };
}

/** Measures an exchange of another team, and its management. */
async function measureTeam(server: Server, issuer: Issuer, begin: Encounter['begin']): Promise<readonly Row[]> {
  const victim = await tenantWithRule(server, issuer);
  const exchanges = Array.from({ length: 200 }, () => exchangeRequest(victim.team, issuer.sign({})));
  const exchanged = await measure({
    victim: `an exchange of another team, ${exchangesPerSecond}/s`,
    plan: () => ({
      url: server.url,
      requests: exchanges,
      connections: 8,
      addresses: [victimAddress],
      perSecond: exchangesPerSecond,
      expected: 'access_token',
    }),
    begin,
  });
  const ids = (await createKeys(server, victim, managedKeys)).map(({ id }) => id);
  return [medianRow(exchanged), ...(await measureManagement(server, victim, ids, begin))];
}

/** More than all measurements need: the limits under test are those of attackers. */
const victimLimits = { MANAGEMENT_RATE_LIMIT: '100000000' };

const startTrusting = (stage: Stage, issuers: readonly Issuer[]) =>
  stage.start({ ...victimLimits, TRUSTED_ISSUERS: issuers.map(({ url }) => `${url}=${url}/keys`).join() });

export const tokenExchanges: Attack = {
  name: 'token-exchanges',
  run: async (stage) => {
    const [issuer, foreign] = [await startIssuer(), await startIssuer()];
    try {
      const server = await startTrusting(stage, [issuer]);
      const { team } = await tenantWithRule(server, issuer);
      const requests = Array.from({ length: 200 }, () => [
        issuer.sign({}),
        issuer.sign({ repository_id: '1' }),
        issuer.sign({}, randomUUID()),
        foreign.sign({}),
        issuer.sign({}).replace(/\.[^.]*$/, '.AAAA'),
        'a'.repeat(oversizedCharacters),
      ]).flatMap((tokens) => tokens.map((token) => exchangeRequest(team, token)));
      return await measureTeam(server, issuer, () =>
        flood(server.url, requests, connections, { perSecond: callsPerSecond }),
      );
    } finally {
      for (const one of [issuer, foreign]) one.stop();
    }
  },
};

export const slowIssuer: Attack = {
  name: 'slow-issuer',
  run: async (stage) => {
    const [issuer, silent] = [await startIssuer(), await startIssuer({ isSilent: true })];
    try {
      const server = await startTrusting(stage, [issuer, silent]);
      const { team } = newTenant();
      const requests = Array.from({ length: 200 }, () => exchangeRequest(team, silent.sign({})));
      // At a fixed rate: 512 addresses that call as fast as they can leave each other a 513th of the processor, whatever they
      // ask for.
      const begin = () => flood(server.url, requests, 512, { perSecond: callsPerSecond });
      return await measureTeam(server, issuer, begin);
    } finally {
      for (const one of [issuer, silent]) one.stop();
    }
  },
};

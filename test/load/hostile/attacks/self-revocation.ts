/**
 * 512 connections send unknown keys and junk to `DELETE /v1/keys/self`, while a serial client verifies its key. Then 32
 * connections from 4 addresses repeat the revocation of their key, while others revoke theirs.
 */
import { randomUUID } from 'node:crypto';
import type { Server } from '../../../harness/server.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, measure, medianRow, type Row, rateRow } from '../attack.ts';
import { attackerAddresses, flood } from '../load.ts';
import {
  createKey,
  createKeys,
  measureRevocations,
  newTenant,
  revokedKeys,
  serialVerifications,
  unknownSecrets,
} from '../tenants.ts';

const connections = 512;
/** Of each kind. */
const presentedKeys = 5000;
const repeating = 32;
const repeatingAddresses = 4;
const revokesPerSecond = 5;
/** Of the calm rate. */
const minShare = 0.5;

const revokeSelf = (token: string) => rawRequest({ method: 'DELETE', path: '/v1/keys/self', token });

export const selfRevocation: Attack = {
  name: 'self-revocation',
  run: async (stage) => {
    const server = await stage.start();
    const key = await createKey(server, newTenant());
    const junk = Array.from({ length: presentedKeys }, () => randomUUID());
    const rows: Row[] = [];
    for (const [kind, secrets] of Object.entries({ junk, 'unknown keys': unknownSecrets(presentedKeys) })) {
      const requests = secrets.map(revokeSelf);
      const measured = await measure({
        victim: `a serial verifier beside ${kind}`,
        plan: () => serialVerifications(server, key),
        begin: () => flood(server.verifyUrl, requests, connections),
      });
      rows.push(rateRow(measured, minShare));
    }
    return [...rows, await besideRepeats(server)];
  },
};

async function besideRepeats(server: Server): Promise<Row> {
  const keys = await createKeys(server, newTenant(), revokedKeys(revokesPerSecond));
  const leaked = await createKey(server, newTenant());
  const requests = keys.map(({ secret }) => revokeSelf(secret));
  const measured = await measureRevocations(
    { url: server.verifyUrl, perSecond: revokesPerSecond, requests },
    {
      victim: `holders who revoke their keys, ${revokesPerSecond}/s, beside a repeated revocation`,
      begin: () =>
        flood(server.verifyUrl, [revokeSelf(leaked.secret)], repeating, {
          addresses: attackerAddresses(repeatingAddresses),
        }),
    },
  );
  return medianRow(measured);
}

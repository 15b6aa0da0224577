/**
 * 32 clients repeat the most expensive document that is accepted, while keys are imported and revoked in bulk; other
 * teams go on verifying.
 */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { progress } from '../../../harness/print.ts';
import type { Server } from '../../../harness/server.ts';
import { graphql, importing } from '../../../support/service.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Assault, type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { costRow, documentCosts, fillTeams } from '../document-costs.ts';
import { attackerNiceness, flood } from '../load.ts';
import { createKey, importedKey, importKeys, newTenant, type Tenant, tokenFor, verifications } from '../tenants.ts';

const clients = 32;
const revoked = 10_000;
const imported = 100_000;

export const expensiveDocuments: Attack = {
  name: 'expensive-documents',
  run: async (stage) => {
    const server = await stage.start({ MAX_KEYS_PER_TEAM: String(imported) });
    const key = await createKey(server, newTenant());
    const [full, long] = [randomUUID(), randomUUID()];
    const newToken = () => tokenFor({ [full]: importing, [long]: importing });
    progress('filling the teams of the documents');
    const teams = await fillTeams(server, newToken(), full, long);
    const costs = await documentCosts(server, newToken(), teams);
    const [mostExpensive] = costs;
    if (mostExpensive === undefined) throw new Error('no document was accepted');
    const { name, query, variables } = mostExpensive.document;
    // Each client is a subject of its own.
    const requests = Array.from({ length: clients }, () =>
      rawRequest({ method: 'POST', path: '/graphql', token: newToken(), body: { query, variables } }),
    );
    const measured = await measure({
      victim: `verification of other teams, 2,000/s, beside ${name}`,
      plan: () => verifications(server, key),
      begin: () => attack(stage.directory, server, requests),
    });
    return [...costs.map(costRow), latencyRow(measured, verificationBound)];
  },
};

async function attack(directory: string, server: Server, requests: readonly string[]): Promise<Assault> {
  const [importer, revoker] = [newTenant(), newTenant()];
  const newKeys = (count: number) => Array.from({ length: count }, (_, i) => importedKey(i));
  progress(`importing ${revoked} keys to revoke`);
  await importKeys(server, revoker, newKeys(revoked));
  const file = join(directory, 'keys.ndjson');
  const lines = newKeys(imported).map((key) => JSON.stringify(key));
  writeFileSync(file, lines.join('\n'));
  const flooding = await flood(server.url, requests, clients);
  const bulkImport = startImport(server, importer, file);
  const revoking = revokeAll(server, revoker).then(
    () => progress('all keys are revoked'),
    () => progress('the revocation ended early'),
  );
  const imports = bulkImport.exit.then(([code]) =>
    progress(code === 0 ? 'all keys are imported' : 'the import was stopped'),
  );
  return {
    finished: Promise.all([imports, revoking]),
    stop: async () => {
      bulkImport.stop();
      await bulkImport.exit;
      return await flooding.stop();
    },
  };
}

/** As an operator does it. */
function startImport({ url }: Server, { team, token }: Tenant, file: string) {
  const child = spawn('node', ['dist/cli/latchkey.js', 'keys', 'import', file, '--team', team], {
    env: { PATH: process.env.PATH, LATCHKEY_URL: url, LATCHKEY_TOKEN: token },
    stdio: 'ignore',
  });
  if (child.pid !== undefined) setPriority(child.pid, attackerNiceness);
  return { exit: once(child, 'exit'), stop: () => child.kill('SIGTERM') };
}

async function revokeAll({ url }: Server, { team, token }: Tenant): Promise<void> {
  const revokeKeys = async (more: string): Promise<string> => {
    const query = `mutation ($team: UUID!) { revokeKeys(teamId: $team, filter: {} ${more}) { selection count } }`;
    const { body } = await graphql(url, token, query, { team });
    if (body.data?.revokeKeys.count !== revoked) throw new Error('not all keys are revoked');
    return String(body.data.revokeKeys.selection);
  };
  const selection = await revokeKeys('');
  await revokeKeys(`, dryRun: false, selection: ${JSON.stringify(selection)}`);
}

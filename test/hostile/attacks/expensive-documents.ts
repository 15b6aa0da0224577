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
import type { BenchServer } from '../../bench/server.ts';
import { graphql } from '../../support/service.ts';
import { type Assault, type Attack, latencyRow, measure, type Stage, verificationBound } from '../attack.ts';
import { costRow, documentCosts, fillTeams } from '../document-costs.ts';
import type { SizedDocument } from '../documents.ts';
import { attackerNiceness, manyAddresses, startLoad } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import {
  createKey,
  everything,
  type ImportedKey,
  importedKey,
  importKeys,
  newTenant,
  type Tenant,
  tokenFor,
  verifications,
} from '../tenants.ts';

const clients = 32;
const revoked = 10_000;
const imported = 100_000;

export const expensiveDocuments: Attack = {
  name: 'expensive-documents',
  run: async (stage) => {
    const server = await stage.start({ MAX_KEYS_PER_TEAM: String(imported) });
    const key = await createKey(server, newTenant());
    const [full, long] = [randomUUID(), randomUUID()];
    const hostileToken = () => tokenFor({ [full]: everything, [long]: everything });
    stage.progress('filling the teams of the documents');
    const teams = await fillTeams(server, hostileToken(), full, long);
    const costs = await documentCosts(stage, server, hostileToken(), teams);
    const [dearest] = costs;
    if (dearest === undefined) throw new Error('no document was accepted');
    const victim = `verification of other teams, 2,000/s, beside ${dearest.document.name}`;
    const measured = await measure(stage, {
      victim,
      plan: () => verifications(server, key),
      begin: () => attack(stage, server, dearest.document, Array.from({ length: clients }, hostileToken)),
    });
    return [...costs.map(costRow), latencyRow(victim, measured, verificationBound)];
  },
};

async function attack(
  stage: Stage,
  server: BenchServer,
  { query, variables }: SizedDocument,
  tokens: readonly string[],
): Promise<Assault> {
  const [importer, revoker] = [newTenant(), newTenant()];
  stage.progress(`importing ${revoked} keys to revoke`);
  await importKeys(server, revoker, importedKeys(revoked));
  const file = join(stage.directory, 'keys.ndjson');
  writeFileSync(
    file,
    importedKeys(imported)
      .map((key) => JSON.stringify(key))
      .join('\n'),
  );
  // Each client is a subject of its own, and has an address of its own.
  const requests = tokens.map((token) =>
    rawRequest({ method: 'POST', path: '/graphql', token, body: { query, variables } }),
  );
  const flood = await startLoad({
    url: server.url,
    requests,
    connections: clients,
    addresses: manyAddresses(clients),
    niceness: attackerNiceness,
  });
  const startedAt = performance.now();
  const importing = startImport(server, importer, file);
  const tell = (what: string) =>
    stage.progress(`${what} after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  const revoking = revokeAll(server, revoker).then(
    () => tell('all keys revoked'),
    () => tell('the revocation ended early'),
  );
  return {
    finished: Promise.all([
      importing.exit.then(([code]) => tell(code === 0 ? 'all keys imported' : 'the import was stopped')),
      revoking,
    ]),
    stop: async () => {
      importing.stop();
      await importing.exit;
      return await flood.stop();
    },
  };
}

function importedKeys(count: number): readonly ImportedKey[] {
  return Array.from({ length: count }, (_, i) => importedKey(i));
}

/** As an operator does it. */
function startImport({ url }: BenchServer, { team, token }: Tenant, file: string) {
  const child = spawn('node', ['dist/cli/latchkey.js', 'keys', 'import', file, '--team', team], {
    env: { PATH: process.env.PATH, LATCHKEY_URL: url, LATCHKEY_TOKEN: token },
    stdio: 'ignore',
  });
  if (child.pid !== undefined) setPriority(child.pid, attackerNiceness);
  return { exit: once(child, 'exit'), stop: () => child.kill('SIGTERM') };
}

async function revokeAll({ url }: BenchServer, { team, token }: Tenant): Promise<void> {
  const revokeKeys = async (more: string): Promise<string> => {
    const query = `mutation ($team: UUID!) { revokeKeys(teamId: $team, filter: {} ${more}) { selection count } }`;
    const { body } = await graphql(url, token, query, { team });
    if (body.data?.revokeKeys.count !== revoked) throw new Error('not all keys are revoked');
    return String(body.data.revokeKeys.selection);
  };
  const selection = await revokeKeys('');
  await revokeKeys(`, dryRun: false, selection: ${JSON.stringify(selection)}`);
}

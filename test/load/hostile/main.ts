/**
 * `npm run load -- hostile [--only <attack>] [--seconds <n>] [--rounds <n>]`: hostile tenants and unauthenticated clients against the
 * built service, and what its other users notice. Exits 1 when a bound is exceeded. With `--only bad-receivers --write`,
 * the table of docs/evidence/benchmarks.md is replaced.
 */

import { rejectArguments } from '../../harness/arguments.ts';
import { printFailures, printRows, progress } from '../../harness/print.ts';
import { tableText, takenNow, writeBlock } from '../../harness/results/page.ts';
import { Server } from '../../harness/server.ts';
import { stolenTime } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { type Attack, only, type Row, type Stage, writes } from './attack.ts';
import { accessChanges } from './attacks/access-changes.ts';
import { badManagementKeys } from './attacks/bad-management-keys.ts';
import { badReceivers, expensiveHandshakes, unendedAnswers } from './attacks/bad-receivers.ts';
import { badTokens } from './attacks/bad-tokens.ts';
import { expensiveDocuments } from './attacks/expensive-documents.ts';
import { extAuthzFloods } from './attacks/ext-authz-floods.ts';
import { guessing } from './attacks/guessing.ts';
import { idleConnections } from './attacks/idle-connections.ts';
import { junk } from './attacks/junk.ts';
import { longPolls } from './attacks/long-polls.ts';
import { manyAddresses } from './attacks/many-addresses.ts';
import { changesOfManyKeys, manyChanges } from './attacks/many-changes.ts';
import { pipelining } from './attacks/pipelining.ts';
import { processes } from './attacks/processes.ts';
import { rejectedInput } from './attacks/rejected-input.ts';
import { replays } from './attacks/replays.ts';
import { revokedKeysOfATeam } from './attacks/revoked-keys.ts';
import { selfRevocation } from './attacks/self-revocation.ts';
import { signOuts } from './attacks/sign-outs.ts';
import { silentDns } from './attacks/silent-dns.ts';
import { slowReaders } from './attacks/slow-readers.ts';
import { slowIssuer, tokenExchanges } from './attacks/token-exchanges.ts';
import { unknownKeysAtEdges } from './attacks/unknown-keys-at-edges.ts';
import { unsignedReports } from './attacks/unsigned-reports.ts';

const attacks: readonly Attack[] = [
  processes,
  expensiveDocuments,
  manyChanges,
  changesOfManyKeys,
  rejectedInput,
  slowReaders,
  silentDns,
  manyAddresses,
  selfRevocation,
  badReceivers,
  expensiveHandshakes,
  unendedAnswers,
  replays,
  badTokens,
  unsignedReports,
  junk,
  guessing,
  pipelining,
  extAuthzFloods,
  idleConnections,
  unknownKeysAtEdges,
  revokedKeysOfATeam,
  longPolls,
  signOuts,
  tokenExchanges,
  slowIssuer,
  badManagementKeys,
  accessChanges,
];

const names = attacks.map(({ name }) => name);
if (!only.every((name) => names.includes(name))) {
  rejectArguments(`usage: npm run load -- hostile [--only ${names.join('|')}] [--seconds <n>] [--rounds <n>]`);
}
const taken = writes ? takenNow(['bad-receivers']) : null;

const results: (Row & { readonly attack: string })[] = [];
for (const attack of attacks.filter(({ name }) => only.length === 0 || only.includes(name))) {
  progress(attack.name);
  const stolen = stolenTime();
  // If an attack fails, for example because the service has ended, the others still run.
  const rows = await run(attack).catch((error: unknown): Row[] => [
    { victim: 'all', found: '', bound: '', violations: [`it could not be carried out: ${String(error)}`] },
  ]);
  progress(`${attack.name}: the machine's host took ${stolen().toFixed(0)} % of the CPU time for others`);
  results.push(...rows.map((row) => ({ attack: attack.name, ...row })));
}
for (const { attack, victim, found, bound, violations } of results) {
  console.log(`\n${attack}: ${victim}`);
  printRows([
    ['measured', found],
    ['bound', `${bound}: ${violations.length === 0 ? 'kept' : 'NOT KEPT'}`],
  ]);
}
if (taken !== null) {
  const cells = results.map(({ victim, found, bound, violations }) => [
    victim,
    found.replaceAll('\n', '; '),
    `${bound}${violations.length === 0 ? '' : ': missed'}`,
  ]);
  writeBlock('bad-receivers', taken, tableText(['measured', 'result', 'bound'], cells));
}
console.log(
  "\nown: how late the victim's own timer was, 99 times of 100; several ms mean that the machine is too busy to tell",
);
printFailures(
  results.flatMap(({ attack, victim, violations }) => violations.map((what) => `${attack}, ${victim}: ${what}`)),
);

async function run(attack: Attack): Promise<readonly Row[]> {
  const { path: directory, remove } = temporaryDirectory();
  const servers: Server[] = [];
  const start: Stage['start'] = async (environment = {}, options = {}) => {
    const own = { LOG_LEVEL: 'fatal', ...environment };
    const server = await Server.service({ directory, environment: own, ...options });
    servers.push(server);
    return await server.start();
  };
  try {
    return await attack.run({ start, directory });
  } finally {
    for (const server of servers) await server.stop();
    remove();
  }
}

/**
 * `npm run hostile [-- --only <attack>] [--seconds <n>] [--rounds <n>]`: hostile tenants and unauthenticated clients against the
 * built service, and what its other users notice. Exits 1 when a bound is exceeded.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { exitOnSignals } from '../load/schedule.ts';
import { Server } from '../load/server.ts';
import { stolenTime } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { type Attack, emptyRow, type Row } from './attack.ts';
import { badTokens } from './attacks/bad-tokens.ts';
import { expensiveDocuments } from './attacks/expensive-documents.ts';
import { guessing } from './attacks/guessing.ts';
import { idleConnections } from './attacks/idle-connections.ts';
import { junk } from './attacks/junk.ts';
import { changesOfManyKeys, manyChanges } from './attacks/many-changes.ts';
import { pipelining } from './attacks/pipelining.ts';
import { processes } from './attacks/processes.ts';
import { rejectedInput } from './attacks/rejected-input.ts';
import { revokedKeysOfATeam } from './attacks/revoked-keys.ts';
import { selfRevocation } from './attacks/self-revocation.ts';
import { silentDns } from './attacks/silent-dns.ts';
import { slowReaders } from './attacks/slow-readers.ts';
import { unknownKeysAtEdges } from './attacks/unknown-keys-at-edges.ts';

const attacks: readonly Attack[] = [
  processes,
  expensiveDocuments,
  manyChanges,
  changesOfManyKeys,
  rejectedInput,
  slowReaders,
  silentDns,
  selfRevocation,
  badTokens,
  junk,
  guessing,
  pipelining,
  idleConnections,
  unknownKeysAtEdges,
  revokedKeysOfATeam,
];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    /** Of each measurement. */
    seconds: { type: 'string', default: '10' },
    /** Measurements of each victim, calm and under attack in turn. */
    rounds: { type: 'string', default: '3' },
  },
});
const names = attacks.map(({ name }) => name);
const unknown = values.only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`usage: npm run hostile -- [--only ${names.join('|')}] [--seconds <n>] [--rounds <n>]`);
  process.exit(2);
}
exitOnSignals();

interface AttackRow extends Row {
  readonly attack: string;
}

const rows: AttackRow[] = [];
for (const attack of attacks) {
  if (values.only.length > 0 && !values.only.includes(attack.name)) continue;
  // If an attack fails, for example because the service has ended, this is printed and the others still run.
  const stolen = stolenTime();
  const found = await run(attack).catch((error: unknown) => [failed(error)]);
  console.log(`${attack.name}: the machine's host took ${stolen().toFixed(0)} % of the CPU time for others`);
  rows.push(...found.map((row) => ({ attack: attack.name, ...row })));
}
print(rows);
if (rows.some(({ violations }) => violations.length > 0)) process.exitCode = 1;

async function run({ name, run }: Attack): Promise<readonly Row[]> {
  const directory = temporaryDirectory();
  const servers: Server[] = [];
  try {
    return await run({
      start: async (environment = {}, options = {}) => {
        const server = await Server.service({
          directory: directory.path,
          environment: { LOG_LEVEL: 'fatal', ...environment },
          ...options,
        });
        servers.push(server);
        return await server.start();
      },
      directory: directory.path,
      seconds: Math.min(60, Number(values.seconds)),
      rounds: Math.min(20, Number(values.rounds)),
      progress: (text) => console.log(`${name}: ${text}`),
    });
  } finally {
    for (const server of servers) await server.stop();
    directory.remove();
  }
}

function failed(error: unknown): Row {
  return { ...emptyRow, violations: [`it could not be carried out: ${String(error)}`] };
}

function print(all: readonly AttackRow[]): void {
  const table = new Table({
    head: ['attack', 'victim', 'calm', 'under attack', 'bound', 'served', 'rejected', 'attacker', 'kept'],
    style: { head: [], border: [] },
    colWidths: [14, 24, 22, 22, 16, 9, 10, 24, 6],
    wordWrap: true,
  });
  for (const { attack, victim, calm, attacked, bound, served, rejected, attacker, violations } of all) {
    const kept = violations.length === 0 ? 'yes' : 'NO';
    table.push([attack, victim, calm, attacked, bound, served, rejected, attacker, kept]);
  }
  console.log(table.toString());
  console.log(
    "own: how late the victim's own timer was, 99 times of 100; several ms mean that the machine is too busy to tell",
  );
  for (const { attack, victim, violations } of all) {
    for (const violation of violations) console.log(`VIOLATION: ${attack}, ${victim}: ${violation}`);
  }
}

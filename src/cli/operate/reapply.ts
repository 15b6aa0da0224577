/** `latchkey reapply`: after a restore, applies again what ended keys, from an audit trail that is newer than the backup. */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import type { Undone } from '../../manage/upkeep/lost-changes.ts';
import { type ReappliedTrail, reapplyTrail, type UndoneKey } from '../../manage/upkeep/reapply-trail.ts';
import { openInput } from '../input-file.ts';
import type { JsonOption } from '../options.ts';
import { printResult } from '../print.ts';
import { addOperatorCommand, withStore } from './own-store.ts';
import { readTrail } from './trail-lines.ts';

interface Options extends JsonOption {
  readonly dryRun?: boolean;
}

export function addReapplyCommand(program: Command): void {
  addOperatorCommand(
    program,
    'reapply',
    'after a restore, revoke and disable again the keys that a newer audit trail says are',
  )
    .argument('<file>', 'the audit trail in NDJSON; - for standard input')
    .option('--dry-run', 'print what would be done, and change nothing')
    .addHelpText(
      'after',
      `
The file has what \`latchkey audit export\` or \`latchkey events tail\` printed before the
restore, or what EVENTS_URL received, in any form: entries of any number of teams, in any
order, each once or several times. Entries that the database has are skipped.

Revocations, disabling and ends of overlaps are applied again. Keys that accept again an
earlier secret, or have fewer restrictions, are listed: only you can decide on them.
Running the command again changes nothing more.`,
    )
    .action(async (file: string, { dryRun = false, json }: Options) => {
      printResult(await reapply(file, dryRun), json, describe);
    });
}

interface Reapplied extends Omit<ReappliedTrail, 'undecided'> {
  readonly dryRun: boolean;
  readonly undecided: readonly (ReturnType<typeof listed> & Pick<UndoneKey, 'undone'>)[];
}

async function reapply(file: string, dryRun: boolean): Promise<Reapplied> {
  const { stream } = openInput(file);
  return await withStore(async (store) => {
    const revisions = new OpaqueRevisions(await store.readIdSecret());
    const trail = readTrail(stream, revisions);
    const input = { trail, dryRun, requestId: randomUUID(), now: new Date() };
    const { undecided, ...rest } = await reapplyTrail({ store }, input);
    return { dryRun, ...rest, undecided: undecided.map(({ key, undone }) => ({ ...listed(key), undone })) };
  });
}

function listed({ id, teamId, prefix, name }: UndoneKey['key']) {
  return { id, teamId, prefix, name };
}

const problems: Readonly<Record<Undone, string>> = {
  secret: 'accepts a secret that was rotated',
  signing: 'accepts an earlier signing secret, or no signature',
  allowedIps: 'has other allowed sources',
  scopes: 'has other scopes',
  expiresAt: 'has another expiry',
  rateLimit: 'has another rate limit',
};

function describe({ dryRun, read, lost, from, to, changed, undecided, unknown }: Reapplied): string {
  if (from === null || to === null)
    return `This database has all ${read} entries of the trail about keys: nothing is to be applied again.`;
  const done = (past: string) => (dryRun ? `would be ${past}` : past);
  const ids = (keys: readonly string[]) => (keys.length === 0 ? 'none' : `${keys.length}: ${keys.join(', ')}`);
  const lines = undecided.map(
    ({ id, teamId, prefix, name, undone }) =>
      `  key ${id} of team ${teamId}: ${prefix} "${name}" ${undone.map((one) => problems[one]).join(', ')}`,
  );
  return [
    `${lost} of the ${read} entries of the trail about keys are not in this database, from ${from.toISOString()} to ${to.toISOString()}.`,
    `Keys ${done('revoked')}: ${ids(changed.revoked)}`,
    `Keys ${done('disabled')}: ${ids(changed.disabled)}`,
    `Keys whose overlap ${dryRun ? 'would be' : 'was'} ended: ${ids(changed.overlapEnded)}`,
    `Keys that this database does not have, and that do not work: ${unknown}`,
    undecided.length === 0 ? 'No key is left to decide on.' : 'To decide by you: rotate, disable or update these keys:',
    ...lines,
    'Fences and management keys are left as they are: freeze and revoke again what the trail says.',
    'What happened after the last entry of the trail is not known here.',
  ].join('\n');
}

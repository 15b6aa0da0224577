/** `latchkey release-key`: lists conflicts of imported keys, finds keys by digest, and releases keys of wrong teams. */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Configuration, ConfigurationError } from '../../config/configuration.ts';
import { type ApiKey, stateOf } from '../../domain/key/api-key.ts';
import { parseImportedDigest } from '../../domain/secret/imported-digest.ts';
import { importedDigestsOf } from '../../domain/secret/secret-digest.ts';
import { releaseKey } from '../../manage/upkeep/release-key.ts';
import type { Store } from '../../store/store.ts';
import { type JsonOption, parseId } from '../options.ts';
import { printResult } from '../print.ts';
import { addOperatorCommand, ringsOf, withStore } from './own-store.ts';

interface Options extends JsonOption {
  readonly digest?: string;
  readonly yes?: boolean;
}

export function addReleaseKeyCommand(program: Command): void {
  addOperatorCommand(
    program,
    'release-key',
    'list conflicts of imported keys, find the keys with a digest, or release the key of the wrong team',
  )
    .argument('[id]', 'the key to release', parseId)
    .option('--digest <digest>', 'list the keys with this digest; - for standard input')
    .option('--yes', 'release the key: revoke it permanently and delete its digest')
    .action(run);
}

async function run(id: string | undefined, { digest, yes = false, json }: Options, command: Command): Promise<void> {
  if (id === undefined ? yes : digest !== undefined) {
    command.error('error: give one key id, or a digest, or no argument for a list of conflicts');
  }
  await withStore(async (store, configuration) => {
    if (id !== undefined) printResult(await release(store, id, yes), json, describeRelease);
    else if (digest !== undefined) printResult(await findKeys(store, configuration, digest), json, describeFound);
    else {
      const conflicts = (await store.conflicts.list()).map(({ keys }) => keys.map(withoutSecrets));
      printResult(conflicts, json, describeConflicts);
    }
  });
}

type Listed = ReturnType<typeof withoutSecrets>;

function withoutSecrets(key: ApiKey) {
  const { id, teamId, prefix, name, env, createdAt } = key;
  return { id, teamId, prefix, name, env, state: stateOf(key, new Date()), createdAt };
}

function describe({ id, teamId, prefix, name, env, state, createdAt }: Listed): string {
  return `  key ${id} of team ${teamId}: ${prefix} "${name}", ${env}, ${state}, imported at ${createdAt.toISOString()}`;
}

function describeConflicts(conflicts: readonly (readonly Listed[])[]): string {
  const lines = conflicts.map((keys) => `One presented key matches:\n${keys.map(describe).join('\n')}`);
  const next = conflicts.length > 0 ? ': release the key of the wrong team' : '';
  return [...lines, `${conflicts.length} conflicts${next}`].join('\n');
}

async function findKeys(store: Store, configuration: Configuration, digestText: string): Promise<Listed[]> {
  const { peppers } = ringsOf(configuration);
  const digest = parseImportedDigest((digestText === '-' ? await text(process.stdin) : digestText).trim());
  if (!digest.ok) throw new ConfigurationError([`the digest ${digest.problem}`]);
  const found = await store.keys.findByDigests(importedDigestsOf(digest.value, peppers));
  return found.map(({ key }) => withoutSecrets(key));
}

function describeFound(keys: readonly Listed[]): string {
  return [...keys.map(describe), `${keys.length} keys have this digest`].join('\n');
}

interface Release {
  readonly key: Listed;
  readonly released: boolean;
}

async function release(store: Store, keyId: string, isConfirmed: boolean): Promise<Release> {
  const key = isConfirmed
    ? await releaseKey({ store }, { keyId, requestId: randomUUID(), now: new Date() })
    : await store.keys.find(keyId);
  if (key === null) throw new Error('there is no key with this id');
  return { key: withoutSecrets(key), released: isConfirmed };
}

function describeRelease({ key, released }: Release): string {
  const next = released
    ? 'Released. If its team must not import the digest again, remove its permission import_keys.'
    : 'Run it with --yes to revoke the key permanently and delete its digest, on every running instance.';
  return `${describe(key)}\n${next}`;
}

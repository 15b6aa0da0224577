/**
 * `npm run release-key`: lists imported keys of different teams that match one presented key, finds the keys with a
 * digest, and releases a key, so that another team's import of the same secret is accepted.
 */
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type Configuration, ConfigurationError, readConfiguration } from '../config/configuration.ts';
import { type StoredKey, stateOf } from '../domain/key/api-key.ts';
import { parseImportedDigest } from '../domain/secret/imported-digest.ts';
import { importedDigestsOf } from '../domain/secret/secret-digest.ts';
import { releaseKey } from '../manage/upkeep/release-key.ts';
import { Store } from '../store/store.ts';
import { ringsWith, runCommand } from './command.ts';

const usage = 'npm run release-key [-- --digest <digest, or - for standard input> | -- <key id> [--yes]]';

await runCommand(usage, async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { digest: { type: 'string' }, yes: { type: 'boolean', default: false } },
  });
  const [keyId, ...more] = positionals;
  if (more.length > 0 || (keyId !== undefined && values.digest !== undefined) || (keyId === undefined && values.yes))
    throw new ConfigurationError(['give one key id, or a digest, or no argument for a list of conflicts']);
  const configuration = readConfiguration(process.env);
  const store = await Store.openAsItIs(configuration.DATABASE_URL);
  try {
    if (keyId !== undefined) await release(store, keyId, values.yes);
    else if (values.digest !== undefined) await printHolders(store, configuration, values.digest);
    else await printConflicts(store);
  } finally {
    await store.close();
  }
});

async function printConflicts(store: Store): Promise<void> {
  const conflicts = await store.conflicts.list();
  for (const { keys } of conflicts) console.log(`One presented key matches:\n${keys.map(described).join('\n')}`);
  console.log(`${conflicts.length} conflicts${conflicts.length > 0 ? ': release the key of the wrong team' : ''}`);
}

async function printHolders(store: Store, configuration: Configuration, given: string): Promise<void> {
  const rings = ringsWith(configuration, configuration.DATA_DIR);
  if (rings === null) throw new Error('the secrets are neither in the environment nor in secrets.json');
  const digest = parseImportedDigest((given === '-' ? await text(process.stdin) : given).trim());
  if (!digest.ok) throw new ConfigurationError([`the digest ${digest.problem}`]);
  const found = await store.keys.findByDigests(importedDigestsOf(digest.value, rings.peppers));
  const keys = found.map(({ key }) => key);
  for (const key of keys) console.log(described(key));
  console.log(`${keys.length} keys have this digest`);
}

async function release(store: Store, keyId: string, confirmed: boolean): Promise<void> {
  const key = await store.keys.find(keyId);
  if (key === null) throw new Error('there is no key with this id');
  console.log(described(key));
  if (!confirmed) {
    console.log('Run it with --yes to revoke the key permanently and delete its digest, on every running instance.');
    return;
  }
  await releaseKey({ store }, { keyId, requestId: randomUUID(), now: new Date() });
  console.log('Released. If its team must not import the digest again, remove its permission import_keys.');
}

function described(key: StoredKey): string {
  const state = stateOf(key, new Date());
  const imported = `imported at ${key.createdAt.toISOString()}`;
  return `  key ${key.id} of team ${key.teamId}: ${key.prefix} "${key.name}", ${key.env}, ${state}, ${imported}`;
}

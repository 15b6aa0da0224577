/** `npm run ring`: lists which peppers and key-encryption keys are needed; adds, promotes and removes generated ones. */
import { parseArgs } from 'node:util';
import { type Configuration, ConfigurationError, readConfiguration } from '../config/configuration.ts';
import { changeStoredRing, newRingKey, type StoredRingKey } from '../config/secrets-file.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import type { RingPurpose } from '../store/rows/ring-keys.ts';
import { Store } from '../store/store.ts';
import { ringsWith, runCommand } from './command.ts';

const usage = 'npm run ring [-- add|promote|remove pepper|signing-kek [<id>]]';
const rings = {
  pepper: { variable: 'KEY_PEPPERS', stored: 'pepper', configured: 'peppers' },
  'signing-kek': { variable: 'SIGNING_KEKS', stored: 'signingKek', configured: 'signingKeks' },
} as const;
const purposes: readonly RingPurpose[] = ['pepper', 'signing-kek'];

await runCommand(usage, async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [action, purpose, id, ...more] = positionals;
  const configuration = readConfiguration(process.env);
  const given = purposes.find((known) => known === purpose);
  if (action === undefined) await report(configuration);
  else if (given === undefined || more.length > 0) throw new ConfigurationError(['pepper or signing-kek is required']);
  else if (action === 'add' && id === undefined) add(configuration, given);
  else if (action === 'promote') promote(configuration, given, id);
  else if (action === 'remove' && id !== undefined) await remove(configuration, given, id);
  else throw new ConfigurationError(['add, promote, or remove with an id is required']);
});

async function report(configuration: Configuration): Promise<void> {
  const store = await Store.openAsItIs(configuration.DATABASE_URL);
  try {
    for (const purpose of purposes) {
      const use = await store.ringUse(purpose);
      const ring = ringOf(configuration, purpose);
      console.log(`${purpose} (${generated(configuration, purpose) ? 'secrets.json' : rings[purpose].variable})`);
      for (const id of new Set([...ring.byId.keys(), ...use.keys()])) {
        const role = id === ring.current.id ? 'current' : ring.byId.has(id) ? 'older or next' : 'MISSING';
        console.log(`  ${id}  ${role}, needed by ${use.get(id) ?? 0} keys that are not revoked`);
      }
    }
  } finally {
    await store.close();
  }
}

/** Adds a key at the end of the ring: every instance must know it before any instance uses it. */
function add(configuration: Configuration, purpose: RingPurpose): void {
  const key = newRingKey();
  change(configuration, purpose, (keys) => [...keys, key]);
  console.log(`${key.id} is added. Restart every instance, then: npm run ring -- promote ${purpose} ${key.id}`);
}

function promote(configuration: Configuration, purpose: RingPurpose, id: string | undefined): void {
  const promoted = change(configuration, purpose, (keys) => {
    const key = id === undefined ? keys.at(-1) : keys.find((one) => one.id === id);
    if (key === undefined) throw new Error(`the ring has no ${id}`);
    return [key, ...keys.filter((one) => one !== key)];
  });
  const then = purpose === 'signing-kek' ? ', then: npm run rewrap' : '. Existing keys keep their pepper.';
  console.log(`${promoted[0]?.id} is the first of the ring. Restart every instance${then}`);
}

async function remove(configuration: Configuration, purpose: RingPurpose, id: string): Promise<void> {
  if (ringOf(configuration, purpose).current.id === id) throw new Error(`${id} is current; promote another one first`);
  const store = await Store.openAsItIs(configuration.DATABASE_URL);
  const needed = await store.ringUse(purpose).finally(() => store.close());
  if (needed.has(id)) throw new Error(`${needed.get(id)} keys that are not revoked still need ${id}`);
  change(configuration, purpose, (keys) => {
    if (!keys.some((key) => key.id === id)) throw new Error(`the ring has no ${id}`);
    return keys.filter((key) => key.id !== id);
  });
  console.log(`${id} is removed. Restart every instance. Earlier backups still need it.`);
}

function change(
  configuration: Configuration,
  purpose: RingPurpose,
  how: (keys: readonly StoredRingKey[]) => StoredRingKey[],
): readonly StoredRingKey[] {
  if (!generated(configuration, purpose))
    throw new Error(`this ring comes from ${rings[purpose].variable}: change it there, in the same steps`);
  return changeStoredRing(configuration.DATA_DIR, rings[purpose].stored, how);
}

function generated(configuration: Configuration, purpose: RingPurpose): boolean {
  return configuration[rings[purpose].variable] === undefined;
}

function ringOf(configuration: Configuration, purpose: RingPurpose): KeyRing {
  const found = ringsWith(configuration, configuration.DATA_DIR);
  if (found === null) throw new Error('the secrets are neither in the environment nor in secrets.json');
  return found[rings[purpose].configured];
}

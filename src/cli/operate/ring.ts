/** `latchkey ring`: lists peppers and key-encryption keys; adds, promotes and removes generated ones. */
import { Argument, type Command } from 'commander';
import { type Configuration, readConfiguration } from '../../config/configuration.ts';
import { changeStoredRing, newRingKey, type StoredRingKey } from '../../config/secrets-file.ts';
import { needing, type RingPurpose } from '../../store/rows/ring-keys.ts';
import type { JsonOption } from '../options.ts';
import { printResult, tableOf } from '../print.ts';
import { addOperatorCommand, ringsOf, withStore } from './own-store.ts';

const rings = {
  pepper: { variable: 'KEY_PEPPERS', stored: 'pepper', configured: 'peppers' },
  'signing-kek': { variable: 'SIGNING_KEKS', stored: 'signingKek', configured: 'signingKeks' },
} as const;
const purposes: readonly RingPurpose[] = ['pepper', 'signing-kek'];

export function addRingCommands(program: Command): void {
  const ring = program.command('ring').description('the peppers and key-encryption keys of this service');
  const ringArgument = () => new Argument('<ring>', 'the ring').choices(purposes);

  addOperatorCommand(
    ring,
    'list',
    'list the keys of both rings, and how many keys and webhooks need each of them',
  ).action(list);

  addOperatorCommand(ring, 'add', 'add a generated key at the end of a ring')
    .addArgument(ringArgument())
    .action((purpose: RingPurpose, { json }: JsonOption) => {
      const key = newRingKey();
      change(purpose, (keys) => [...keys, key]);
      // Every instance must know the key before any instance uses it.
      const next = `Restart every instance, then: latchkey ring promote ${purpose} ${key.id}`;
      printResult({ id: key.id }, json, ({ id }) => `${id} is added. ${next}`);
    });

  addOperatorCommand(ring, 'promote', 'make a key the current one of a ring')
    .addArgument(ringArgument())
    .argument('[id]', 'the key; by default the last one of the ring')
    .action((purpose: RingPurpose, givenId: string | undefined, { json }: JsonOption) => {
      const [current] = change(purpose, (keys) => {
        const key = givenId === undefined ? keys.at(-1) : keys.find(({ id }) => id === givenId);
        if (key === undefined) throw new Error(`the ring has no ${givenId}`);
        return [key, ...keys.filter((other) => other !== key)];
      });
      const next = purpose === 'signing-kek' ? ', then: latchkey rewrap' : '. Existing keys keep their pepper.';
      printResult(
        { id: current?.id },
        json,
        ({ id }) => `${id} is the first of the ring. Restart every instance${next}`,
      );
    });

  addOperatorCommand(ring, 'remove', 'remove a key that is not needed')
    .addArgument(ringArgument())
    .argument('<id>', 'the key')
    .action(remove);
}

async function list({ json }: JsonOption): Promise<void> {
  const keys = await withStore(async (store, configuration) => {
    const listed = purposes.map(async (purpose) => {
      const use = await store.ringUse(purpose);
      const { byId, current } = ringsOf(configuration)[rings[purpose].configured];
      return [...new Set([...byId.keys(), ...use.keys()])].map((id) => ({
        ring: purpose,
        definedIn: isGenerated(configuration, purpose) ? 'secrets.json' : rings[purpose].variable,
        id,
        role: id === current.id ? 'current' : byId.has(id) ? 'older or next' : 'MISSING',
        // Counts webhooks, and keys that are not revoked.
        neededBy: use.get(id) ?? 0,
      }));
    });
    return (await Promise.all(listed)).flat();
  });
  printResult(keys, json, () =>
    tableOf(
      ['RING', 'DEFINED IN', 'ID', 'ROLE', 'NEEDED BY'],
      keys.map(({ ring, definedIn, id, role, neededBy }) => [
        ring,
        definedIn,
        id,
        role,
        `${neededBy} ${needing[ring]}`,
      ]),
    ),
  );
}

async function remove(purpose: RingPurpose, id: string, { json }: JsonOption): Promise<void> {
  await withStore(async (store, configuration) => {
    const { current } = ringsOf(configuration)[rings[purpose].configured];
    if (current.id === id) throw new Error(`${id} is current; promote another one first`);
    const neededBy = (await store.ringUse(purpose)).get(id);
    if (neededBy !== undefined) throw new Error(`${neededBy} ${needing[purpose]} still need ${id}`);
  });
  change(purpose, (keys) => {
    if (!keys.some((key) => key.id === id)) throw new Error(`the ring has no ${id}`);
    return keys.filter((key) => key.id !== id);
  });
  printResult({ id }, json, () => `${id} is removed. Restart every instance. Earlier backups still need it.`);
}

/** Changes a generated ring, and returns its keys. */
function change(
  purpose: RingPurpose,
  changed: (keys: readonly StoredRingKey[]) => StoredRingKey[],
): readonly StoredRingKey[] {
  const configuration = readConfiguration(process.env);
  const { variable, stored } = rings[purpose];
  if (isGenerated(configuration, purpose)) return changeStoredRing(configuration.DATA_DIR, stored, changed);
  throw new Error(`this ring comes from ${variable}: change it there, in the same steps`);
}

function isGenerated(configuration: Configuration, purpose: RingPurpose): boolean {
  return configuration[rings[purpose].variable] === undefined;
}

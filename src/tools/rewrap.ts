/** `npm run rewrap`: re-encrypts all signing secrets with the current key-encryption key, while services run. */
import { randomBytes } from 'node:crypto';
import { ConfigurationError, readConfiguration } from '../config/configuration.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import { rewrapSigningSecrets } from '../manage/upkeep/rewrap.ts';
import { Store } from '../store/store.ts';
import { ringsWith, runCommand } from './command.ts';

await runCommand('npm run rewrap', async () => {
  const configuration = readConfiguration(process.env);
  const rings = ringsWith(configuration, configuration.DATA_DIR);
  if (rings === null) throw new Error('the secrets are neither in the environment nor in secrets.json');
  const { signingKeks } = rings;
  const store = await Store.openAsItIs(configuration.DATABASE_URL);
  try {
    await rejectUnknownKeys(store, signingKeks);
    const { rewrapped, problems } = await rewrapSigningSecrets({
      store,
      signingKeks,
      randomBytes,
      onProgress: (progress) => console.error(`${progress.rewrapped} signing secrets re-wrapped`),
    });
    for (const problem of problems) console.error(problem);
    const left = [...(await store.ringUse('signing-kek'))].filter(([id]) => id !== signingKeks.current.id);
    console.log(`${rewrapped} signing secrets re-wrapped with ${signingKeks.current.id}`);
    for (const [id, keys] of left) console.log(`${keys} keys still need ${id}`);
    if (left.length > 0) {
      console.error(
        'Restart every instance that was started before the current key was first in the ring. Then run this command again.',
      );
      process.exitCode = 1;
    }
  } finally {
    await store.close();
  }
});

/** Throws if the services don't know the current key: they could not decrypt secrets that are encrypted with it. */
async function rejectUnknownKeys(store: Store, signingKeks: KeyRing): Promise<void> {
  const { problems, currentIsKnown } = await store.checkRing('signing-kek', signingKeks);
  if (problems.length > 0) throw new ConfigurationError(problems.map((problem) => `SIGNING_KEKS: ${problem}`));
  if (!currentIsKnown) {
    throw new Error(
      `no service was ever started with ${signingKeks.current.id} as the first key-encryption key: restart all instances first`,
    );
  }
}

/** `npm run rewrap`: seals all signing secrets with the current key-encryption key, while services run. */
import { randomBytes } from 'node:crypto';
import { ConfigurationError, readConfiguration } from '../config/configuration.ts';
import type { KeyRing } from '../domain/key-ring.ts';
import { rewrapSigningSecrets } from '../manage/rewrap.ts';
import { Store } from '../store/store.ts';
import { ringsWith, runCommand } from './command.ts';

await runCommand('npm run rewrap', async () => {
  const configuration = readConfiguration(process.env);
  const rings = ringsWith(configuration, configuration.DATA_DIR);
  if (rings === null) throw new Error('the secrets are neither in the environment nor in secrets.json');
  const { signingKeks } = rings;
  const store = await Store.openAsItIs(configuration.DATABASE_URL);
  try {
    await refuseUnknown(store, signingKeks);
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
        'Restart every instance that was started before the current key was first in the ring; run it again.',
      );
      process.exitCode = 1;
    }
  } finally {
    await store.close();
  }
});

/** Secrets sealed with a key that the services don't know could not be opened by them. */
async function refuseUnknown(store: Store, signingKeks: KeyRing): Promise<void> {
  const { problems, currentIsKnown } = await store.checkRing('signing-kek', signingKeks);
  if (problems.length > 0) throw new ConfigurationError(problems.map((problem) => `SIGNING_KEKS: ${problem}`));
  if (!currentIsKnown) {
    throw new Error(
      `no service was ever started with ${signingKeks.current.id} as the first key-encryption key: restart them all first`,
    );
  }
}

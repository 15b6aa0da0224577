/** `latchkey rewrap`: re-encrypts all signing secrets with the current key-encryption key, while services run. */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { ConfigurationError } from '../../config/configuration.ts';
import type { KeyRing } from '../../domain/secret/key-ring.ts';
import { rewrapSigningSecrets } from '../../manage/upkeep/rewrap.ts';
import { needing } from '../../store/rows/ring-keys.ts';
import type { Store } from '../../store/store.ts';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { printMessage, printResult } from '../print.ts';
import { addOperatorCommand, ringsOf, withStore } from './own-store.ts';

export function addRewrapCommand(program: Command): void {
  addOperatorCommand(
    program,
    'rewrap',
    're-encrypt all signing secrets with the current key-encryption key; exits with 1 if some are left',
  ).action(async ({ json }: JsonOption) => {
    const result = await withStore((store, configuration) => rewrap(store, ringsOf(configuration).signingKeks));
    printResult(result, json, describe);
    if (result.remaining.length > 0) {
      printMessage(
        'Restart every instance that was started before the current key was first in the ring. Then run this command again.\n',
      );
      process.exitCode = exitCodes.failed;
    }
  });
}

interface Rewrapped {
  readonly rewrapped: number;
  readonly current: string;
  /** Older key-encryption keys that are still needed, each with the number of keys and webhooks that need it. */
  readonly remaining: readonly { readonly id: string; readonly keys: number }[];
}

async function rewrap(store: Store, signingKeks: KeyRing): Promise<Rewrapped> {
  await requireKnownKey(store, signingKeks);
  const { rewrapped, problems } = await rewrapSigningSecrets({
    store,
    signingKeks,
    randomBytes,
    onProgress: (progress) => printMessage(`${progress.rewrapped} signing secrets re-wrapped\n`),
  });
  for (const problem of problems) printMessage(`${problem}\n`);
  const current = signingKeks.current.id;
  const use = [...(await store.ringUse('signing-kek'))];
  return { rewrapped, current, remaining: use.filter(([id]) => id !== current).map(([id, keys]) => ({ id, keys })) };
}

/** Throws if the services don't know the current key, because they could not decrypt secrets encrypted with it. */
async function requireKnownKey(store: Store, signingKeks: KeyRing): Promise<void> {
  const { problems, currentIsKnown } = await store.checkRing('signing-kek', signingKeks);
  if (problems.length > 0) throw new ConfigurationError(problems.map((problem) => `SIGNING_KEKS: ${problem}`));
  if (!currentIsKnown) {
    throw new Error(
      `no service was ever started with ${signingKeks.current.id} as the first key-encryption key: restart all instances first`,
    );
  }
}

function describe({ rewrapped, current, remaining }: Rewrapped): string {
  const lines = remaining.map(({ id, keys }) => `${keys} ${needing['signing-kek']} still need ${id}`);
  return [`${rewrapped} signing secrets re-wrapped with ${current}`, ...lines].join('\n');
}

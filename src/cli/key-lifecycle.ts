/** `latchkey keys`: rotates, disables, enables and revokes a key. */
import type { Command } from 'commander';
import { readClientConfiguration } from '../config/configuration.ts';
import { disableKey, enableKey, endOverlap, revokeKey, rotateKey } from './operations.ts';
import { overlapOption, parseId } from './options.ts';
import { printJson, printKey } from './print.ts';
import { ask } from './service.ts';

interface Options {
  readonly json?: boolean;
}

interface ReasonOptions extends Options {
  readonly reason?: string;
}

export function addLifecycleCommands(keys: Command): void {
  keys
    .command('rotate')
    .argument('<id>', 'the key', parseId)
    .description('replace the secret; the new one is printed only once, as the only text on standard output')
    .addOption(overlapOption('secret'))
    .option('--json', 'print JSON, including the secret')
    .action(rotate);

  keys
    .command('end-overlap')
    .argument('<id>', 'the key', parseId)
    .description('end the previous secret and the previous signing secret')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: Options) => {
      const { endOverlap: ended } = await ask(readClientConfiguration(process.env), endOverlap, { id });
      printKey(ended.apiKey, json);
    });

  withReason(keys.command('disable'), 'reject a key until it is enabled', async (id, { reason = null, json }) => {
    const { disableKey: disabled } = await ask(readClientConfiguration(process.env), disableKey, { id, reason });
    printKey(disabled.apiKey, json);
  });
  withReason(keys.command('enable'), 'accept a disabled key again', async (id, { reason = null, json }) => {
    const { enableKey: enabled } = await ask(readClientConfiguration(process.env), enableKey, { id, reason });
    printKey(enabled.apiKey, json);
  });

  keys
    .command('revoke')
    .argument('<id>', 'the key', parseId)
    .description('revoke a key permanently')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: Options) => {
      const { revokeKey: revoked } = await ask(readClientConfiguration(process.env), revokeKey, { id });
      printKey(revoked.apiKey, json);
    });
}

function withReason(
  command: Command,
  description: string,
  action: (id: string, options: ReasonOptions) => Promise<void>,
): void {
  command
    .argument('<id>', 'the key', parseId)
    .description(description)
    .option('--reason <text>', 'why, for the audit trail')
    .option('--json', 'print JSON')
    .action(action);
}

async function rotate(id: string, { overlap, json }: Options & { readonly overlap: number }): Promise<void> {
  const variables = { id, overlapSeconds: overlap };
  const { rotateKey: rotated } = await ask(readClientConfiguration(process.env), rotateKey, variables);
  const { apiKey, secret } = rotated;
  if (json === true) {
    printJson({ ...apiKey, secret });
    return;
  }
  const end = apiKey.previousSecretExpiresAt;
  const previous = end === null ? 'is not accepted anymore' : `is accepted until ${end}`;
  process.stderr.write(`${apiKey.id}  ${apiKey.name}: the previous secret ${previous}\n`);
  process.stdout.write(`${secret}\n`);
}

/** `latchkey keys`: rotates, disables, enables and revokes a key. */
import type { Command } from 'commander';
import { overlapOption, parseId } from '../options.ts';
import { describeFields, printResult } from '../print.ts';
import type { CliKeyFragment, TypedDocumentString } from './generated/graphql.ts';
import { disableKey, enableKey, endOverlap, revokeKey, rotateKey } from './operations.ts';
import { execute } from './service.ts';

interface Options {
  readonly json?: boolean;
}

interface Variables {
  readonly id: string;
  readonly reason?: string | null;
}

interface Change {
  readonly name: string;
  readonly description: string;
  readonly operation: TypedDocumentString<{ readonly changed: { readonly apiKey: CliKeyFragment } }, Variables>;
  readonly takesReason?: true;
}

const changes: readonly Change[] = [
  {
    name: 'end-overlap',
    description: 'end the previous secret and the previous signing secret',
    operation: endOverlap,
  },
  { name: 'disable', description: 'reject a key until it is enabled', operation: disableKey, takesReason: true },
  { name: 'enable', description: 'accept a disabled key again', operation: enableKey, takesReason: true },
  { name: 'revoke', description: 'revoke a key permanently', operation: revokeKey },
];

export function addLifecycleCommands(keys: Command): void {
  keys
    .command('rotate')
    .argument('<id>', 'the key', parseId)
    .description('replace the secret; the new one is printed only once, as the only text on standard output')
    .addOption(overlapOption('secret'))
    .option('--json', 'print JSON, including the secret')
    .action(rotate);

  for (const { name, description, operation, takesReason } of changes) {
    const command = keys.command(name).argument('<id>', 'the key', parseId).description(description);
    if (takesReason) command.option('--reason <text>', 'why, for the audit trail');
    command
      .option('--json', 'print JSON')
      .action(async (id: string, { reason, json }: Options & { readonly reason?: string }) => {
        const { changed } = await execute(operation, { id, ...(reason === undefined ? {} : { reason }) });
        printResult(changed.apiKey, json, describeFields);
      });
  }
}

async function rotate(id: string, { overlap, json }: Options & { readonly overlap: number }): Promise<void> {
  const { apiKey, secret } = (await execute(rotateKey, { id, overlapSeconds: overlap })).changed;
  const end = apiKey.previousSecretExpiresAt;
  const previous = end === null ? 'is not accepted anymore' : `is accepted until ${end}`;
  if (json !== true) process.stderr.write(`${apiKey.id}  ${apiKey.name}: the previous secret ${previous}\n`);
  printResult({ ...apiKey, secret }, json, () => secret);
}

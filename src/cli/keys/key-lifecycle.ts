/** `latchkey keys` and `latchkey signing`: change a key, but not its settings. */
import type { Command } from 'commander';
import { type JsonOption, keyCommand, overlapOption } from '../options.ts';
import { describeFields, printResult } from '../print.ts';
import type { CliKeyFragment, TypedDocumentString } from './generated/graphql.ts';
import {
  disableKey,
  disableSigning,
  enableKey,
  enableSigning,
  endOverlap,
  revokeKey,
  rotateKey,
  rotateSigningSecret,
} from './operations.ts';
import { execute } from './service.ts';

interface OverlapOptions extends JsonOption {
  readonly overlap: number;
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
  keyCommand(
    keys,
    'rotate',
    'replace the secret; the new one is printed only once, as the only text on standard output',
  )
    .addOption(overlapOption('secret'))
    .option('--json', 'print JSON, including the secret')
    .action(rotate);

  for (const { name, description, operation, takesReason } of changes) {
    const command = keyCommand(keys, name, description);
    if (takesReason) command.option('--reason <text>', 'why, for the audit trail');
    command
      .option('--json', 'print JSON')
      .action(async (id: string, { reason, json }: JsonOption & { readonly reason?: string }) => {
        const { changed } = await execute(operation, { id, ...(reason === undefined ? {} : { reason }) });
        printResult(changed.apiKey, json, describeFields);
      });
  }
}

async function rotate(id: string, { overlap, json }: OverlapOptions): Promise<void> {
  const { apiKey, secret } = (await execute(rotateKey, { id, overlapSeconds: overlap })).changed;
  const end = apiKey.previousSecretExpiresAt;
  const previous = end === null ? 'is not accepted anymore' : `is accepted until ${end}`;
  if (json !== true) process.stderr.write(`${apiKey.id}  ${apiKey.name}: the previous secret ${previous}\n`);
  printResult({ ...apiKey, secret }, json, () => secret);
}

export function addSigningCommands(program: Command): void {
  const signing = program.command('signing').description('enable, rotate or disable the request signing of a key');

  keyCommand(signing, 'enable', 'require signed requests; the signing secret is printed only once')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const { apiKey, signingSecret } = (await execute(enableSigning, { id })).changed;
      printResult({ id: apiKey.id, signingSecret }, json, () => signingSecret);
    });

  keyCommand(signing, 'rotate', 'replace the signing secret; the new one is printed only once')
    .addOption(overlapOption('signing secret'))
    .option('--json', 'print JSON')
    .action(async (id: string, { overlap, json }: OverlapOptions) => {
      const { apiKey, signingSecret } = (await execute(rotateSigningSecret, { id, overlapSeconds: overlap })).changed;
      printResult({ id: apiKey.id, signingSecret }, json, () => signingSecret);
    });

  keyCommand(signing, 'disable', 'require no signatures anymore')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      printResult((await execute(disableSigning, { id })).changed.apiKey, json, () => 'off');
    });
}

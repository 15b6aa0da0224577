/** `latchkey keys` and `latchkey signing`: change a key, but not its settings. */
import type { Command } from 'commander';
import { type JsonOption, overlapOption, type TeamOption } from '../options.ts';
import { printChange, printMessage, printResult } from '../print.ts';
import type { CliKeyFragment, TypedDocumentString } from '../service/generated/graphql.ts';
import {
  disableKey,
  disableSigning,
  enableKey,
  enableSigning,
  endOverlap,
  revokeKey,
  rotateKey,
  rotateSigningSecret,
} from '../service/operations.ts';
import { execute } from '../service/service.ts';
import { addConfirmation, type ConfirmationOptions, confirmChange } from './confirmation.ts';
import { idOf, type KeyReference, keyCommand } from './key-reference.ts';

interface OverlapOptions extends ConfirmationOptions {
  readonly overlap: number;
}

interface Variables {
  readonly id: string;
  readonly reason?: string | null;
}

interface ChangeCommand {
  readonly name: string;
  readonly description: string;
  readonly operation: TypedDocumentString<{ readonly changed: { readonly apiKey: CliKeyFragment } }, Variables>;
  /** The past tense, for the line about the changed key. */
  readonly done: string;
  /** The question about a change that can't be undone. */
  readonly question?: string;
  readonly takesReason?: true;
}

const keyChanges: readonly ChangeCommand[] = [
  {
    name: 'end-overlap',
    description: 'end the previous secret and the previous signing secret',
    operation: endOverlap,
    done: 'Ended the overlap of',
    question: 'End the previous secrets of',
  },
  {
    name: 'disable',
    description: 'reject a key until it is enabled',
    operation: disableKey,
    done: 'Disabled',
    takesReason: true,
  },
  {
    name: 'enable',
    description: 'accept a disabled key again',
    operation: enableKey,
    done: 'Enabled',
    takesReason: true,
  },
  {
    name: 'revoke',
    description: 'revoke a key permanently',
    operation: revokeKey,
    done: 'Revoked',
    question: 'Permanently revoke',
  },
];

const signingChanges: readonly ChangeCommand[] = [
  {
    name: 'disable',
    description: 'require no signatures anymore, and delete the signing secret',
    operation: disableSigning,
    done: 'Disabled signing for',
    question: 'Accept unsigned requests, and delete the signing secret of',
  },
];

export function addLifecycleCommands(keys: Command): void {
  const command = keyCommand(
    keys,
    'rotate',
    'replace the secret; the new one is printed only once, as the only text on standard output',
  )
    .addOption(overlapOption('secret'))
    .option('--json', 'print JSON, including the secret');
  addConfirmation(command).action(rotate);
  for (const change of keyChanges) addChange(keys, change);
}

export function addSigningCommands(program: Command): void {
  const signing = program.command('signing').description('enable, rotate or disable the request signing of a key');

  keyCommand(signing, 'enable', 'require signed requests; the signing secret is printed only once')
    .option('--json', 'print JSON')
    .action(async (key: KeyReference, options: JsonOption & TeamOption) => {
      const { apiKey, signingSecret } = (await execute(enableSigning, { id: await idOf(key, options) })).changed;
      printResult({ id: apiKey.id, signingSecret }, options.json, () => signingSecret);
    });

  const command = keyCommand(signing, 'rotate', 'replace the signing secret; the new one is printed only once')
    .addOption(overlapOption('signing secret'))
    .option('--json', 'print JSON');
  addConfirmation(command).action(async (key: KeyReference, options: OverlapOptions) => {
    const id = await idOf(key, options);
    if (options.overlap === 0) await confirmChange('Replace, without overlap, the signing secret of', id, options);
    const variables = { id, overlapSeconds: options.overlap };
    const { apiKey, signingSecret } = (await execute(rotateSigningSecret, variables)).changed;
    printResult({ id: apiKey.id, signingSecret }, options.json, () => signingSecret);
  });
  for (const change of signingChanges) addChange(signing, change);
}

function addChange(
  parent: Command,
  { name, description, operation, done, question, takesReason }: ChangeCommand,
): void {
  const command = keyCommand(parent, name, description).option('--json', 'print JSON');
  if (takesReason) command.option('--reason <text>', 'why, for the audit trail');
  if (question !== undefined) addConfirmation(command);
  command.action(async (key: KeyReference, options: ConfirmationOptions & { readonly reason?: string }) => {
    const { reason, json } = options;
    const id = await idOf(key, options);
    if (question !== undefined) await confirmChange(question, id, options);
    const { changed } = await execute(operation, { id, ...(reason === undefined ? {} : { reason }) });
    printChange(done, changed.apiKey, json);
  });
}

async function rotate(key: KeyReference, options: OverlapOptions): Promise<void> {
  const { overlap, json } = options;
  const id = await idOf(key, options);
  if (overlap === 0) await confirmChange('Replace, without overlap, the secret of', id, options);
  const { apiKey, secret } = (await execute(rotateKey, { id, overlapSeconds: overlap })).changed;
  if (json !== true) printMessage(`${apiKey.id}  ${apiKey.name}: the previous secret ${acceptance(apiKey)}\n`);
  printResult({ ...apiKey, secret }, json, () => secret);
}

function acceptance({ previousSecretExpiresAt: end, expiresAt, state }: CliKeyFragment): string {
  if (end === null) return 'is not accepted anymore';
  if (state === 'EXPIRED') return `is not accepted, because the key expired at ${expiresAt}`;
  return `is accepted until ${end}${end === expiresAt ? ', when the key expires' : ''}`;
}

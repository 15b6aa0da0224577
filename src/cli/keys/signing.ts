/** `latchkey signing`: manages the request signing of a key. */
import type { Command } from 'commander';
import { overlapOption, parseId } from '../options.ts';
import { printResult } from '../print.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from './operations.ts';
import { execute } from './service.ts';

interface Options {
  readonly json?: boolean;
}

export function addSigningCommands(program: Command): void {
  const signing = program.command('signing').description('enable, rotate or disable the request signing of a key');

  signing
    .command('enable')
    .argument('<id>', 'the key', parseId)
    .description('require signed requests; the signing secret is printed only once')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: Options) => printSecret((await execute(enableSigning, { id })).changed, json));

  signing
    .command('rotate')
    .argument('<id>', 'the key', parseId)
    .description('replace the signing secret; the new one is printed only once')
    .addOption(overlapOption('signing secret'))
    .option('--json', 'print JSON')
    .action(async (id: string, { overlap, json }: Options & { readonly overlap: number }) =>
      printSecret((await execute(rotateSigningSecret, { id, overlapSeconds: overlap })).changed, json),
    );

  signing
    .command('disable')
    .argument('<id>', 'the key', parseId)
    .description('require no signatures anymore')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: Options) => {
      printResult((await execute(disableSigning, { id })).changed.apiKey, json, () => 'off');
    });
}

interface NewSigningSecret {
  readonly apiKey: { readonly id: string };
  readonly signingSecret: string;
}

function printSecret({ apiKey: { id }, signingSecret }: NewSigningSecret, json: boolean | undefined): void {
  printResult({ id, signingSecret }, json, () => signingSecret);
}

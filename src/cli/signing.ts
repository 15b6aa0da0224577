/** `latchkey signing`: manages the request signing of a key. */
import type { Command } from 'commander';
import { readClientConfiguration } from '../config/configuration.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from './operations.ts';
import { overlapOption, parseId } from './options.ts';
import { printJson } from './print.ts';
import { ask } from './service.ts';

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
    .action(async (id: string, { json }: Options) => {
      const { enableSigning: enabled } = await ask(readClientConfiguration(process.env), enableSigning, {
        id,
      });
      printSecret(enabled.apiKey.id, enabled.signingSecret, json);
    });

  signing
    .command('rotate')
    .argument('<id>', 'the key', parseId)
    .description('replace the signing secret; the new one is printed only once')
    .addOption(overlapOption('signing secret'))
    .option('--json', 'print JSON')
    .action(async (id: string, { overlap, json }: Options & { readonly overlap: number }) => {
      const { rotateSigningSecret: rotated } = await ask(readClientConfiguration(process.env), rotateSigningSecret, {
        id,
        overlapSeconds: overlap,
      });
      printSecret(rotated.apiKey.id, rotated.signingSecret, json);
    });

  signing
    .command('disable')
    .argument('<id>', 'the key', parseId)
    .description('require no signatures any more')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: Options) => {
      const { disableSigning: disabled } = await ask(readClientConfiguration(process.env), disableSigning, {
        id,
      });
      if (json === true) printJson(disabled.apiKey);
      else process.stdout.write('off\n');
    });
}

function printSecret(id: string, signingSecret: string, json: boolean | undefined): void {
  if (json === true) printJson({ id, signingSecret });
  else process.stdout.write(`${signingSecret}\n`);
}

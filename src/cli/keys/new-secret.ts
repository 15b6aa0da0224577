/** `latchkey keys new-secret`: makes the secret of a key on this machine, so that the service never sees it. */
import { hash, randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type KeyEnv, keyEnvs } from '../../domain/key/key-env.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { tagShape } from '../../domain/secret/secret-shape.ts';
import type { JsonOption } from '../options.ts';
import { printMessage, printResult } from '../print.ts';

interface Options extends JsonOption {
  readonly env: KeyEnv;
  readonly tag: string;
}

export function addNewSecretCommand(keys: Command): void {
  keys
    .command('new-secret')
    .description(
      'make the secret of a key without the service, which gets only its digest; the secret is the only text on standard output',
    )
    .addOption(new Option('--env <env>', 'the environment of the key').choices(keyEnvs).makeOptionMandatory())
    .addOption(new Option('--tag <tag>', 'the KEY_TAG of the service').argParser(parseTag).default('lk'))
    .option('--json', 'print JSON: the secret, its prefix and its digest')
    .action(({ env, tag, json }: Options) => {
      const { secret, prefix } = mintSecret(tag, `${env}_c`, randomBytes);
      const digest = `sha256:${hash('sha256', secret)}`;
      if (json !== true) printMessage(`prefix  ${prefix}\ndigest  ${digest}\n`);
      printResult({ secret, prefix, digest }, json, () => secret);
    });
}

function parseTag(text: string): string {
  if (!tagShape.test(text))
    throw new InvalidArgumentError('Expected 1 to 16 lower-case letters and digits, a letter first.');
  return text;
}

/** `latchkey derive`: a token that may do a part of what a key may. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { readMoment } from '../../domain/moment-text.ts';
import { collect, type JsonOption } from '../options.ts';
import { printResult } from '../print.ts';
import { readSecret } from '../prompt.ts';
import { derive } from '../service/service.ts';

interface Options extends JsonOption {
  readonly scope?: readonly string[];
  readonly env?: string;
  readonly source?: readonly string[];
  readonly expires: string;
  readonly label?: string;
}

export function addDeriveCommand(program: Command): void {
  program
    .command('derive')
    .description('derive a token from a key that is read from a prompt or standard input, and print it')
    .requiredOption(
      '--expires <moment>',
      'when it stops working, at most a day from now: 1h, 2030-01-31T12:00:00Z',
      moment,
    )
    .option('--scope <scope>', 'a scope of the key that it has; can be given several times', collect)
    .addOption(new Option('--env <env>', 'the environment that the key must have').choices(keyEnvs))
    .option('--source <network>', 'an address or range that can use it; can be given several times', collect)
    .option('--label <label>', 'what its uses are counted under')
    .option('--json', 'print JSON')
    .action(async ({ scope = [], source, expires: expiresAt, json, ...rest }: Options) => {
      const key = await readSecret('Key: ');
      const derived = await derive({ ...rest, key, scopes: scope, sources: source, expiresAt });
      printResult(derived, json, ({ token }) => token);
    });
}

function moment(text: string): string {
  const parsed = readMoment(text, new Date(), 'from now');
  if (!parsed.ok) throw new InvalidArgumentError(parsed.problem);
  return parsed.value;
}

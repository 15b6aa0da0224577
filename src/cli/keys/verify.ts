/** `latchkey verify`: verifies a key. */
import { type Command, Option } from 'commander';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { hintAbout } from '../../domain/secret/other-credentials.ts';
import { exitCodes } from '../failure.ts';
import { collect, type JsonOption } from '../options.ts';
import { describeFields, printMessage, printResult } from '../print.ts';
import { readSecret } from '../prompt.ts';
import { verify } from '../service/service.ts';

const sourceHint = 'The key has an allow-list, and no source was given: use --source <address>.';

interface Options extends JsonOption {
  readonly env?: string;
  readonly source?: string;
  readonly scope?: readonly string[];
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('verify a key from a prompt or standard input; exits with 3 if it is rejected')
    .addOption(new Option('--env <env>', 'the environment that the API serves').choices(keyEnvs))
    .option('--source <address>', 'the address that the request comes from')
    .option('--scope <scope>', 'a scope that the request needs; can be given several times', collect)
    .option('--json', 'print JSON')
    .action(async ({ env, source, scope, json }: Options) => {
      // The key is not an argument, because the process list and the shell's history show arguments.
      const key = await readSecret('Key: ');
      const verdict = await verify({ key, env, sourceIp: source, scopes: scope });
      printResult(verdict, json, describeFields);
      const hint = verdict.code === 'MALFORMED' ? hintAbout(key) : null;
      if (hint !== null) printMessage(`${hint}\n`);
      if (verdict.code === 'SOURCE_NOT_ALLOWED' && source === undefined) printMessage(`${sourceHint}\n`);
      if (!verdict.valid) process.exitCode = exitCodes.notValid;
    });
}

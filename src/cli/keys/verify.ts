/** `latchkey verify`: verifies a key. */
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { looksLikeSessionToken, sessionTokenHint } from '../../domain/secret/session-token-shape.ts';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { describeFields, printResult } from '../print.ts';
import { verify } from './service.ts';

const sourceHint = 'The key has an allow-list, and no source was given: use --source <address>.';

interface Options extends JsonOption {
  readonly env?: string;
  readonly source?: string;
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('verify a key from standard input; exits with 3 if it is rejected')
    .addOption(new Option('--env <env>', 'the environment that the API serves').choices(['live', 'test']))
    .option('--source <address>', 'the address that the request comes from')
    .option('--json', 'print JSON')
    .action(async ({ env, source, json }: Options) => {
      // The key is not an argument, because the process list and the shell's history show arguments.
      const key = (await text(process.stdin)).trim();
      const verdict = await verify({ key, env, sourceIp: source });
      printResult(verdict, json, describeFields);
      if (verdict.code === 'MALFORMED' && looksLikeSessionToken(key)) process.stderr.write(`${sessionTokenHint}\n`);
      if (verdict.code === 'SOURCE_NOT_ALLOWED' && source === undefined) process.stderr.write(`${sourceHint}\n`);
      if (!verdict.valid) process.exitCode = exitCodes.notValid;
    });
}

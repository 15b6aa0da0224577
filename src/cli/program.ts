/** `npx latchkey`: runs and manages the service from a terminal or a script. */
import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../config/configuration.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEdgeCommand } from './edge.ts';
import { exitCodes, Failure } from './failure.ts';
import { addKeyCommands } from './keys.ts';
import { addSignInCommand } from './sign-in.ts';
import { addSigningCommands } from './signing.ts';
import { addTeamsCommands } from './teams.ts';
import { addTokenCommand } from './token.ts';
import { addVerifyCommand } from './verify.ts';

const program = new Command('latchkey')
  .description("A self-hosted authority for a team's API keys.")
  .showHelpAfterError('(see latchkey --help)')
  .exitOverride()
  .addHelpText(
    'after',
    `
Environment:
  LATCHKEY_TOKEN           a session token, for keys and signing
  LATCHKEY_URL             the management port (http://127.0.0.1:4000)
  LATCHKEY_VERIFY_URL      the verification port (http://127.0.0.1:4001)
  LATCHKEY_VERIFIER_TOKEN  a verifier token, for verify, if that port requires one
  LATCHKEY_FEED_TOKEN      one of its FEED_TOKENS, for edge
  serve, edge, token, sign-in, teams and doctor use the variables of the service.

Exit codes: 0 for success, 1 for an error, 2 for wrong usage, 3 if a verified key is rejected.`,
  );

program
  .command('serve')
  .description('run the service until it is stopped')
  .action(async () => {
    await import('../main.ts');
  });
addEdgeCommand(program);
addTokenCommand(program);
addSignInCommand(program);
addTeamsCommands(program);
addKeyCommands(program);
addSigningCommands(program);
addVerifyCommand(program);
addDoctorCommand(program);

// The reader has closed the pipe, as `head` does.
process.stdout.on('error', () => process.exit(0));
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Prints the error on standard error, with `--json` as JSON. Returns the exit code. */
function exitCodeOf(error: unknown): number {
  // Commander has printed it already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const [code, message] =
    error instanceof Failure
      ? [error.code, error.message]
      : error instanceof ConfigurationError
        ? ['CONFIGURATION', error.problems.join('\n')]
        : ['FAILED', error instanceof Error ? error.message : String(error)];
  if (process.argv.includes('--json')) process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else process.stderr.write(`${code}: ${message}\n`);
  return error instanceof Failure ? error.exitCode : exitCodes.failed;
}

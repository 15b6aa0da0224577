/** `npx latchkey`: runs and manages the service from a terminal or a script. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ConfigurationError, profileName, profileNameExpected } from '../config/configuration.ts';
import { escapeLine } from '../domain/text.ts';
import { BadFile } from '../key-file/lines.ts';
import { projectVersion } from '../lib/project-files.ts';
import { addManagementKeyCommands } from './access/management-keys.ts';
import { addPolicyCommands } from './access/policy.ts';
import { addTrustRuleCommands } from './access/trust-rules.ts';
import { addCompletionCommand } from './completion/completion.ts';
import { addEventCommands } from './events/tail.ts';
import { addWebhookCommands } from './events/webhooks.ts';
import { exitCodes, Failure } from './failure.ts';
import { addFenceCommands } from './fences/fences.ts';
import { addDeriveCommand } from './keys/derive.ts';
import { addSigningCommands } from './keys/key-lifecycle.ts';
import { addKeyCommands } from './keys/keys.ts';
import { addVerifyCommand } from './keys/verify.ts';
import { addLeakCommands } from './leaks/leaks.ts';
import { chooseProfile } from './login/connection.ts';
import { addLoginCommands } from './login/login.ts';
import { addMemberCommands } from './members/members.ts';
import { addBackupCommand } from './operate/backup.ts';
import { addDoctorCommand } from './operate/doctor/doctor.ts';
import { addEdgeCommand } from './operate/edge.ts';
import { addReapplyCommand } from './operate/reapply.ts';
import { addRestoreCommand } from './operate/restore.ts';
import { addRewrapCommand } from './operate/rewrap.ts';
import { addRingCommands } from './operate/ring.ts';
import { addTokenCommands } from './operate/session-token.ts';
import { addTeamsCommands } from './operate/teams.ts';
import { colored, print, printMessage } from './print.ts';
import { addReceiptCommands } from './receipts/receipts.ts';
import { helpHint, leadToHelp, usageProblem, withoutKeys, withoutLongTexts } from './usage-errors.ts';

let runningCommand: Command | undefined;
const isJson = process.argv.includes('--json');

const program = new Command('latchkey')
  .description("A self-hosted authority for a team's API keys.")
  .version(projectVersion())
  .addOption(
    new Option('--profile <name>', 'the profile of latchkey login (default: LATCHKEY_PROFILE, or default)').argParser(
      parseProfileName,
    ),
  )
  .configureHelp({ showGlobalOptions: true })
  .configureOutput({
    writeOut: (text) => void print(text),
    // With `--json`, the error is printed when it has been caught.
    writeErr: (text) => {
      if (!isJson) printMessage(text);
    },
    outputError: (message, write) => write(withoutLongTexts(message)),
  })
  .hook('preAction', (_, command) => {
    runningCommand = command;
    chooseProfile(program.opts().profile);
  })
  .exitOverride()
  .addHelpText(
    'after',
    `
Environment:
  LATCHKEY_TOKEN           a session token or a management key, instead of that of latchkey login
  LATCHKEY_TEAM            the default team
  LATCHKEY_PROFILE         the profile of latchkey login
  LATCHKEY_URL             the management port (http://127.0.0.1:4000)
  LATCHKEY_VERIFY_URL      the verification port (http://127.0.0.1:4001)
  LATCHKEY_VERIFIER_TOKEN  a verifier token, for verify and leaks report, if that port requires one
  LATCHKEY_FEED_TOKEN      one of its FEED_TOKENS, for edge
  All other commands use the variables of the service.

Exit codes: 0 for success, 1 for an error, 2 for wrong usage, 3 if a verified key is rejected.`,
  );

program
  .command('serve')
  .description('run the service until it is stopped')
  .action(async () => {
    await import('../main.ts');
  });
addEdgeCommand(program);
addLoginCommands(program);
addTokenCommands(program);
addTeamsCommands(program);
addKeyCommands(program);
addSigningCommands(program);
addVerifyCommand(program);
addDeriveCommand(program);
addFenceCommands(program);
addReceiptCommands(program);
addLeakCommands(program);
addManagementKeyCommands(program);
addPolicyCommands(program);
addTrustRuleCommands(program);
addMemberCommands(program);
addWebhookCommands(program);
addEventCommands(program);
addBackupCommand(program);
addRestoreCommand(program);
addReapplyCommand(program);
addRingCommands(program);
addRewrapCommand(program);
addDoctorCommand(program);
addCompletionCommand(program);
leadToHelp(program);

// Ends the process when the reader has closed the pipe, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.exit(exitCodeOf(new Failure('FAILED', `standard output: ${error.message}`)));
});
// Nobody reads the messages, or their disk is full.
process.stderr.on('error', () => undefined);
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Prints the error on standard error, with `--json` as JSON. Returns the exit code. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Otherwise, commander has already printed this error.
    if (isJson) printError('USAGE', usageProblem(error));
    return exitCodes.usage;
  }
  const [code, message] =
    error instanceof Failure
      ? [escapeLine(error.code), escapeLine(error.message)]
      : error instanceof ConfigurationError
        ? ['CONFIGURATION', error.problems.join('\n')]
        : error instanceof BadFile
          ? ['BAD_FILE', error.message]
          : ['FAILED', withoutKeys(error instanceof Error ? error.message : String(error))];
  if (isJson) printError(code, message);
  else {
    printMessage(`${colored('red', code, 'stderr')}: ${message}\n`);
    if (isWrongUsage(error) && runningCommand !== undefined) printMessage(`${helpHint(runningCommand)}\n`);
  }
  return error instanceof Failure ? error.exitCode : exitCodes.failed;
}

function printError(code: string, message: string): void {
  printMessage(`${JSON.stringify({ error: { code, message } })}\n`);
}

function isWrongUsage(error: unknown): boolean {
  return error instanceof Failure && (error.exitCode === exitCodes.usage || error.code === 'BAD_USER_INPUT');
}

function parseProfileName(text: string): string {
  if (profileName.test(text)) return text;
  throw new InvalidArgumentError(`Expected ${profileNameExpected}.`);
}

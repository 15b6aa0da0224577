/** `latchkey leaks`: reports leaked keys, prints rules for scanners, and chooses what happens to a leaked key. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { readConfiguration } from '../../config/configuration.ts';
import { type LeakMatch, leakPolicies } from '../../domain/leak.ts';
import { limits } from '../../domain/limits.ts';
import { prefixOfSecret } from '../../domain/secret/secret.ts';
import { hasControlCharacters } from '../../domain/text.ts';
import { type ScannerFormat, scannerFormats, scannerRules } from '../../leaks/scanner-rules.ts';
import { openInput } from '../input-file.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type JsonOption, type TeamOption } from '../options.ts';
import { type Cell, print, printResult, tableOf } from '../print.ts';
import { leakPolicy, setLeakPolicy } from '../service/operations.ts';
import { execute, reportLeaks } from '../service/service.ts';
import { bytesOf } from './file-text.ts';
import { batchesOf, matchesIn } from './matches-in-text.ts';

export function addLeakCommands(program: Command): void {
  const leaks = program.command('leaks').description('leaked keys');

  leaks
    .command('report')
    .description('report the keys in a file; their teams are told, and their policies apply')
    .argument(
      '<file>',
      'a JSON array of {token, type, url, source}, the report of a scanner, or any text; - for standard input',
    )
    .addOption(textOption('--url <url>', 'where the text was found', limits.leakUrlCharacters))
    .addOption(textOption('--source <source>', 'the kind of place', limits.leakTextCharacters))
    .option('--json', 'print JSON')
    .action(report);

  leaks
    .command('rules')
    .description('print a rule for a scanner that finds the keys of this service (KEY_TAG)')
    .addOption(new Option('--format <scanner>', 'the scanner').choices(scannerFormats).default('gitleaks'))
    .action(({ format }: { readonly format: ScannerFormat }) => {
      void print(scannerRules[format](readConfiguration(process.env).KEY_TAG));
    });

  const policy = leaks
    .command('policy')
    .description('show or choose what happens to a leaked key of a team, besides the event')
    .addArgument(new Argument('[policy]', 'the new policy').choices(leakPolicies.map((name) => name.toLowerCase())))
    .option('--json', 'print JSON');
  addTeamOption(policy, 'the team').action(showOrChoose);
}

function textOption(flags: string, description: string, maxCharacters: number): Option {
  return new Option(flags, description).argParser((value) => {
    if (value.length <= maxCharacters && !hasControlCharacters(value)) return value;
    throw new InvalidArgumentError(`Expected at most ${maxCharacters} characters, without control characters.`);
  });
}

interface ReportOptions extends JsonOption {
  readonly url?: string;
  readonly source?: string;
}

/** What became of one match, without its token. */
interface ReportedMatch {
  /** The prefix of a key, or the beginning of the hash of another text. */
  readonly token: string;
  readonly isKey: boolean;
  readonly type: string;
  readonly url: string;
  readonly source: string;
}

async function report(file: string, { url = '', source = '', json }: ReportOptions): Promise<void> {
  const content = await bytesOf(openInput(file).stream, file);
  const matches = matchesIn(content, file, { type: 'latchkey leaks report', url, source });
  const reported: ReportedMatch[] = [];
  for (const batch of batchesOf(matches)) {
    const answers = await reportLeaks(batch);
    reported.push(...batch.map((match, i) => outcomeOf(match, answers[i])));
  }
  printResult(reported, json, describe);
}

function outcomeOf({ token, ...rest }: LeakMatch, answer: Awaited<ReturnType<typeof reportLeaks>>[number] | undefined) {
  const shown = prefixOfSecret(token) ?? `sha256:${answer?.token_hash.slice(0, 12)}`;
  return { token: shown, isKey: answer?.label === 'true_positive', ...rest };
}

function describe(reported: readonly ReportedMatch[]): string {
  if (reported.length === 0) return 'The file has no keys.';
  const rows = reported.map(({ token, isKey, url }): readonly Cell[] => [
    token,
    isKey ? { text: 'leaked', color: 'red' } : 'not a key',
    url,
  ]);
  const count = reported.filter(({ isKey }) => isKey).length;
  return `${tableOf(null, rows)}\n${count} of ${reported.length} are keys. Their teams are told by the event key.exposed.`;
}

async function showOrChoose(name: string | undefined, { team, json }: TeamOption & JsonOption): Promise<void> {
  const teamId = await teamOf(team);
  const chosen = leakPolicies.find((policy) => policy.toLowerCase() === name);
  const policy =
    chosen === undefined
      ? (await execute(leakPolicy, { teamId })).policy
      : (await execute(setLeakPolicy, { teamId, policy: chosen })).changed.policy;
  printResult({ teamId, policy }, json, () => policy.toLowerCase());
}

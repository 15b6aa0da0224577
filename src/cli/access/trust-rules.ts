/** `latchkey trust-rules`: whose tokens a team accepts in exchange for a short one, such as those of jobs of CI. */
import { type Command, InvalidArgumentError } from 'commander';
import { addConfirmation, type ConfirmationOptions, isScript } from '../keys/confirmation.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type JsonOption, type TeamOption } from '../options.ts';
import { printResult, tableOf } from '../print.ts';
import { confirm } from '../prompt.ts';
import type { CliTrustRuleFragment, Permission } from '../service/generated/graphql.ts';
import { createTrustRule, deleteTrustRule, readTrustRules } from '../service/operations.ts';
import { execute } from '../service/service.ts';
import { addIdArgument, permissionsOption } from './access-options.ts';

export function addTrustRuleCommands(program: Command): void {
  const rules = program
    .command('trust-rules')
    .description('workloads, such as jobs of CI, that manage the keys of a team: list, create, delete');

  addTeamOption(rules.command('list').description('list the trust rules of a team'), 'the team')
    .option('--json', 'print JSON')
    .action(list);

  addTeamOption(
    rules.command('create').description('accept the tokens of an issuer in exchange for one of this service'),
    'the team whose keys the workload manages',
  )
    .requiredOption('--name <name>', 'a label for people')
    .requiredOption('--issuer <url>', 'the issuer of the tokens, one of TRUSTED_ISSUERS')
    .requiredOption('--audience <text>', 'the audience that the tokens must name')
    .requiredOption('--claim <name=value>', 'a claim that the tokens must have; can be given several times', addClaim)
    .addOption(permissionsOption())
    .option('--once', 'exchange each token only once, by its id (jti)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nFor example, for GitHub Actions: --issuer https://token.actions.githubusercontent.com --audience latchkey ' +
        '--claim repository_id=74231 --claim ref=refs/heads/main',
    )
    .action(create);

  const remove = rules.command('delete').description('remove a trust rule, and end the tokens that it was used for');
  addConfirmation(addIdArgument(remove, 'trust rule'))
    .option('--json', 'print JSON')
    .action(async (id: string, options: ConfirmationOptions) => {
      if (!isScript(options)) await confirm(`Remove the trust rule ${id}?`);
      const { deleteTrustRule: removed } = await execute(deleteTrustRule, { id });
      printResult(removed, options.json, () => `Removed ${id}`);
    });
}

type Claims = Readonly<Record<string, string>>;

function addClaim(text: string, before: Claims = {}): Claims {
  const [name = '', value] = text.split(/=(.*)/s);
  if (name === '' || value === undefined || value === '') throw new InvalidArgumentError('Expected <name>=<value>.');
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError('Each claim can be given once.');
  // Not assigned, because a claim can have the name `__proto__`.
  return Object.fromEntries([...Object.entries(before), [name, value]]);
}

async function list({ team, json }: TeamOption & JsonOption): Promise<void> {
  const { trustRules } = await execute(readTrustRules, { teamId: await teamOf(team) });
  printResult(trustRules, json, (rules) =>
    tableOf(
      ['ID', 'NAME', 'ISSUER', 'CLAIMS', 'PERMISSIONS', 'LAST USED'],
      rules.map((rule) => [
        rule.id,
        rule.name,
        rule.issuer,
        claimsOf(rule),
        rule.permissions.join(','),
        rule.lastUsedAt ?? 'never',
      ]),
    ),
  );
}

function claimsOf({ audience, claims }: CliTrustRuleFragment): string {
  return Object.entries({ aud: audience, ...Object(claims) })
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

interface CreateOptions extends TeamOption, JsonOption {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly claim: Claims;
  readonly can: readonly Permission[];
  readonly once?: true;
}

async function create({ team, claim, can, once, json, ...rule }: CreateOptions): Promise<void> {
  const input = { ...rule, teamId: await teamOf(team), claims: claim, permissions: [...can], once: once === true };
  const { trustRule } = (await execute(createTrustRule, { input })).createTrustRule;
  printResult(trustRule, json, ({ id, name }) => `Created ${id} (${name})`);
}

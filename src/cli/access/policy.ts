/** `latchkey policy`: what a team demands of its keys, and which keys violate it. */
import { text } from 'node:stream/consumers';
import { Argument, type Command } from 'commander';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { violationText } from '../../domain/policy/policy-violation.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { Failure } from '../failure.ts';
import { openInput } from '../input-file.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type JsonOption, type TeamOption } from '../options.ts';
import { print, tableOf } from '../print.ts';
import type { CliViolatingKeysQuery, KeyEnv, SetKeyPolicyInput } from '../service/generated/graphql.ts';
import { readKeyPolicy, readViolatingKeys, setKeyPolicy } from '../service/operations.ts';
import { execute, readPages } from '../service/service.ts';

type Violating = CliViolatingKeysQuery['keys']['nodes'][number];

export function addPolicyCommands(program: Command): void {
  const policy = program.command('policy').description('what a team demands of its keys: get, set, check');

  policyCommand(policy, 'get', 'print the policy of a team for an environment, as JSON').action(
    async (env: KeyEnv, { team }: TeamOption) => {
      show((await execute(readKeyPolicy, { teamId: await teamOf(team), env })).keyPolicy);
    },
  );

  policyCommand(policy, 'set', 'set the policy as a whole: what the file leaves out is not demanded')
    .argument('<file>', 'a JSON object, such as {"maxLifetimeSeconds": 7776000}; - for standard input')
    .action(async (env: KeyEnv, file: string, { team }: TeamOption) => {
      const rules = await readRules(file);
      const input = { ...rules, teamId: await teamOf(team), env } as SetKeyPolicyInput;
      show((await execute(setKeyPolicy, { input })).set.policy);
    });

  addTeamOption(
    policy.command('check').description('list the keys that violate a policy; exit code 1 if any does'),
    'the team',
  )
    .option('--json', 'print the keys, as NDJSON')
    .action(check);
}

function policyCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name).description(description);
  return addTeamOption(command, 'the team').addArgument(new Argument('<env>', 'the environment').choices(keyEnvs));
}

async function readRules(file: string): Promise<object> {
  const content = await text(openInput(file).stream);
  try {
    const rules: unknown = JSON.parse(content);
    if (isJsonObject(rules)) return rules;
  } catch {}
  throw new Failure('BAD_USER_INPUT', 'The file is not a JSON object.');
}

/** Prints what `policy set` takes. */
function show(policy: object): void {
  void print(`${JSON.stringify(policy, null, 2)}\n`);
}

async function check({ team, json }: TeamOption & JsonOption): Promise<void> {
  const teamId = await teamOf(team);
  const found: Violating[] = [];
  const page = async (after: string | null) => (await execute(readViolatingKeys, { teamId, after })).keys;
  for await (const key of readPages(page)) found.push(key);
  if (json === true) for (const key of found) await print(`${JSON.stringify(key)}\n`);
  else if (found.length > 0) await print(`${tableOf(['PREFIX', 'NAME', 'VIOLATES'], found.map(rowOf))}\n`);
  const violate = found.length === 1 ? 'key violates' : 'keys violate';
  if (found.length > 0) throw new Failure('POLICY_VIOLATED', `${found.length} ${violate} the policy`);
  if (json !== true) await print('No key violates the policy.\n');
}

const rowOf = ({ prefix, name, policyViolations }: Violating) => [
  prefix,
  name,
  policyViolations.map(violationText).join('; '),
];

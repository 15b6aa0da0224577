/** `latchkey keys put`: makes the key with an external id what the options say, so that scripts can run it again. */
import { type Command, Option } from 'commander';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type JsonOption, overlapOption, type TeamOption } from '../options.ts';
import { printMessage, printResult } from '../print.ts';
import type { KeyEnv } from '../service/generated/graphql.ts';
import { putKey } from '../service/operations.ts';
import { execute } from '../service/service.ts';
import { addSettingOptions, settingsOf } from './key-options.ts';

interface Options extends JsonOption, TeamOption {
  readonly name: string;
  readonly env: KeyEnv;
  readonly digest?: string;
  readonly prefix?: string;
  readonly overlap: number;
  readonly ifRevision?: string;
  readonly ifAbsent?: boolean;
  readonly ifExists?: boolean;
}

export function addPutCommand(keys: Command): void {
  const command = keys
    .command('put')
    .description(
      'create the key with an external id, or change it to exactly these settings: one that is not given gets its default',
    )
    .argument('<external-id>', 'the customer or service that the key belongs to');
  addTeamOption(command, 'the team').addOption(
    new Option('--env <env>', 'the environment').choices(keyEnvs).makeOptionMandatory(),
  );
  addSettingOptions(command, { isNewKey: true, without: ['externalId'] })
    .option('--digest <digest>', 'the SHA-256 of a secret of `latchkey keys new-secret`; another one is a rotation')
    .option('--prefix <prefix>', 'the prefix of that secret')
    .addOption(overlapOption('secret'))
    .option('--if-revision <revision>', 'change only the key that still has this revision')
    .addOption(new Option('--if-absent', 'only create the key').conflicts(['ifExists', 'ifRevision']))
    .addOption(new Option('--if-exists', 'only change the key').conflicts('ifRevision'))
    .option('--json', 'print JSON, including the secret if there is one')
    .action(put);
}

async function put(externalId: string, options: Options, command: Command): Promise<void> {
  const { team, name, env, digest = null, prefix = null, overlap, ifRevision, json } = options;
  const input = { ...settingsOf(command), name, env, externalId, digest, prefix, overlapSeconds: overlap };
  const ifExists = options.ifAbsent === true ? false : (options.ifExists ?? null);
  const variables = { input: { ...input, teamId: await teamOf(team) }, ifRevision: ifRevision ?? null, ifExists };
  const { apiKey, created, secret } = (await execute(putKey, variables)).putKey;
  if (json === true) {
    printResult({ ...apiKey, created, ...(secret === null ? {} : { secret }) }, json, String);
    return;
  }
  // As of `keys create`, a pipe gets only the secret.
  printMessage(`${created ? 'Created' : 'Put'} ${apiKey.prefix} "${apiKey.name}" (${apiKey.id})\n`);
  if (secret !== null) printResult(secret, json, String);
}

/** Options of the commands for management keys and trust rules. */
import { type Command, Option } from 'commander';
import { grantablePermissions } from '../../domain/access/management-key.ts';
import { isUuid } from '../../lib/uuid.ts';

export function permissionsOption(): Option {
  return new Option('--can <permissions...>', 'what it may do')
    .choices([...grantablePermissions])
    .default(['view_team', 'manage_keys']);
}

export function addIdArgument(command: Command, what: string): Command {
  return command.argument('<id>', `the id of the ${what}`, (text: string) => {
    // Commander's own error would repeat the text, which may be a secret.
    return isUuid(text) ? text : command.error(`error: Expected the id of a ${what}, which is a UUID.`);
  });
}

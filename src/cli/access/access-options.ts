/** Options of the commands for management keys and trust rules. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { grantablePermissions } from '../../domain/access/management-key.ts';
import { isUuid } from '../../lib/uuid.ts';

const usual: readonly string[] = ['view_team', 'manage_keys'];

/** Takes permissions as several arguments or, as `latchkey token` does, separated by commas. */
export function permissionsOption(): Option {
  const choices = grantablePermissions.join(', ');
  const option = new Option('--can <permissions...>', 'what it may do').choices([...grantablePermissions]);
  return option.default(usual).argParser((text: string, before: readonly string[]) => {
    const given = text.split(',');
    if (!given.every((name) => (grantablePermissions as readonly string[]).includes(name))) {
      throw new InvalidArgumentError(`Allowed choices are ${choices}.`);
    }
    return before === usual ? given : [...before, ...given];
  });
}

export function addIdArgument(command: Command, what: string): Command {
  return command.argument('<id>', `the id of the ${what}`, (text: string) => {
    // Commander's own error would repeat the text, which may be a secret.
    return isUuid(text) ? text : command.error(`error: Expected the id of a ${what}, which is a UUID.`);
  });
}

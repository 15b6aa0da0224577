/** How commands name an endpoint: by its id. Never by its URL, which may contain a secret. */
import type { Command } from 'commander';
import { isUuid } from '../../lib/uuid.ts';

/** Adds a command whose first argument is the id of a webhook. */
export function webhookCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name).description(description);
  return command.argument('<webhook>', 'the id of the endpoint', (text: string) => {
    // Commander's own error would repeat the text, which may be a secret.
    return isUuid(text) ? text : command.error('error: Expected the id of an endpoint, which is a UUID.');
  });
}

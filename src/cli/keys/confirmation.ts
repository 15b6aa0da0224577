/** Asks a person at a terminal before a change that can't be undone. */
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import type { JsonOption, TeamOption } from '../options.ts';
import { canAsk, confirm } from '../prompt.ts';
import { readKey } from '../service/operations.ts';
import { execute } from '../service/service.ts';

export interface ConfirmationOptions extends JsonOption, TeamOption {
  readonly yes?: boolean;
}

export function addConfirmation(command: Command): Command {
  return command.option(
    '--yes',
    'do not ask for confirmation, which only terminals are asked for, and not with --json',
  );
}

/** Throws Failure unless a person at a terminal confirms the change of a key. Scripts are never asked. */
export async function confirmChange(question: string, id: string, options: ConfirmationOptions): Promise<void> {
  if (!isScript(options)) await confirm(`${question} ${await describeKey(id)}?`);
}

/** Scripts are those whose standard input or error is not a terminal, and those that want JSON. */
export function isScript({ yes, json }: Pick<ConfirmationOptions, 'yes' | 'json'>): boolean {
  return yes === true || json === true || !canAsk();
}

/** Names the key as a list does, so that a wrong one is noticed. */
async function describeKey(id: string): Promise<string> {
  try {
    const { prefix, name } = (await execute(readKey, { id })).key;
    return `${prefix} "${name}" (${id})`;
  } catch (error) {
    // A session token that may change keys need not permit reading them.
    if (error instanceof Failure && error.code === 'FORBIDDEN') return id;
    throw error;
  }
}

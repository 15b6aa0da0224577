/** `latchkey token`: a session token for the secret of this machine. */
import type { Command } from 'commander';
import { readConfiguration } from '../config/configuration.ts';
import { addTokenOptions, issueToken } from './token-options.ts';

export function addTokenCommand(program: Command): void {
  const command = program
    .command('token')
    .description('print a session token signed with the local secret, alone on standard output');
  addTokenOptions(command).action(async (options) => {
    process.stdout.write(`${await issueToken(readConfiguration(process.env), options)}\n`);
  });
}

/** `latchkey token`: prints a session token signed with the local secret. */
import type { Command } from 'commander';
import { readConfiguration } from '../config/configuration.ts';
import { addTokenOptions, issueToken } from './token-options.ts';

export function addTokenCommand(program: Command): void {
  const command = program
    .command('token')
    .description('print a session token signed with the local secret, as the only text on standard output');
  addTokenOptions(command).action(async (options) => {
    process.stdout.write(`${await issueToken(readConfiguration(process.env), options)}\n`);
  });
}

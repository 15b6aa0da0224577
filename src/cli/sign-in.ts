/** `latchkey sign-in`: prints a link that signs in to the dashboard. */
import type { Command } from 'commander';
import { readClientConfiguration, readConfiguration } from '../config/configuration.ts';
import { urlOf } from '../config/url.ts';
import { addTokenOptions, issueToken, type TokenOptions } from './token-options.ts';

export function addSignInCommand(program: Command): void {
  const command = program
    .command('sign-in')
    .description(
      'print a link that signs in to the dashboard, as the only text on standard output; keep it out of logs',
    );
  addTokenOptions(command).action(print);
}

async function print(options: TokenOptions): Promise<void> {
  const configuration = readConfiguration(process.env);
  const { HOST, PORT } = configuration;
  const here = urlOf(HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST, PORT);
  const { LATCHKEY_URL } = readClientConfiguration(process.env, here);
  // In the fragment, which browsers do not send to a server.
  process.stdout.write(`${new URL(`/#token=${await issueToken(configuration, options)}`, LATCHKEY_URL)}\n`);
}

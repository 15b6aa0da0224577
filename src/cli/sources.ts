/** `latchkey keys sources`: prints from where a key was used. */
import type { Command } from 'commander';
import { readClientConfiguration } from '../config/configuration.ts';
import { observedSources } from './operations.ts';
import { parseId } from './options.ts';
import { printJson, printTable } from './print.ts';
import { ask } from './service.ts';

export function addSourcesCommand(keys: Command): void {
  keys
    .command('sources')
    .argument('<id>', 'the key', parseId)
    .description('list the addresses from which a key was presented, those that were seen last first')
    .option('--json', 'print JSON')
    .action(sources);
}

const incomplete =
  'This list is not complete: the key was presented from more addresses than are kept. An unlisted one was last seen';

function lastOf(sources: readonly { readonly lastAt: string }[]): string {
  return sources.map(({ lastAt }) => lastAt).reduce((a, b) => (a > b ? a : b));
}

async function sources(keyId: string, { json }: { readonly json?: boolean }): Promise<void> {
  const variables = { keyId };
  const { observedSources: found, unlistedSources } = await ask(
    readClientConfiguration(process.env),
    observedSources,
    variables,
  );
  // Not on standard output, which scripts parse.
  if (unlistedSources.length > 0) console.error(`${incomplete} ${lastOf(unlistedSources)}`);
  if (json === true) {
    printJson(found);
    return;
  }
  printTable(
    ['ADDRESS', 'SECRET', 'FIRST SEEN', 'LAST SEEN', 'VERDICTS'],
    found.map(({ address, secret, firstAt, lastAt, counts }) => [
      address,
      secret.toLowerCase(),
      firstAt,
      lastAt,
      counts.map(({ code, count }) => `${code} ${count}`).join(', '),
    ]),
  );
}

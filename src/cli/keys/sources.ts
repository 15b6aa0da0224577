/** `latchkey keys sources`: lists the addresses from which a key was used. */
import type { Command } from 'commander';
import { type JsonOption, limitOption, type TeamOption } from '../options.ts';
import { printMessage, printResult, tableOf } from '../print.ts';
import { observedSources } from '../service/operations.ts';
import { execute } from '../service/service.ts';
import { idOf, type KeyReference, keyCommand } from './key-reference.ts';

export function addSourcesCommand(keys: Command): void {
  keyCommand(keys, 'sources', 'list the addresses from which a key was presented, the last seen ones first')
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listSources);
}

const incomplete =
  'This list is not complete: the key was presented from more addresses than are kept. An unlisted one was last seen';

interface Options extends JsonOption, TeamOption {
  readonly limit?: number;
}

async function listSources(key: KeyReference, { limit, json, ...options }: Options): Promise<void> {
  const keyId = await idOf(key, options);
  const { observedSources: all, unlistedSources } = await execute(observedSources, { keyId });
  const sources = all.slice(0, limit);
  const lastSeen = unlistedSources
    .map(({ lastAt }) => lastAt)
    .sort()
    .at(-1);
  // Printed on standard error, because scripts parse standard output.
  if (lastSeen !== undefined) printMessage(`${incomplete} ${lastSeen}\n`);
  printResult(sources, json, () =>
    tableOf(
      ['ADDRESS', 'SECRET', 'FIRST SEEN', 'LAST SEEN', 'VERDICTS'],
      sources.map(({ address, secret, firstAt, lastAt, counts }) => [
        address,
        secret.toLowerCase(),
        firstAt,
        lastAt,
        counts.map(({ code, count }) => `${code} ${count}`).join(', '),
      ]),
    ),
  );
}

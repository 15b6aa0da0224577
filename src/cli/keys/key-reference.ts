/** How commands name a key: by its id, or by the prefix that lists and logs show. Never by its secret. */
import type { Command } from 'commander';
import { isPrefix, prefixStart } from '../../domain/key/key-prefix.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { isUuid } from '../../lib/uuid.ts';
import { Failure } from '../failure.ts';
import { teamsOf } from '../login/team.ts';
import { addTeamOption, type TeamOption } from '../options.ts';
import { allStates, execute, readKeys } from '../service/service.ts';

/** The ids that an error lists. */
const listedIds = 5;

export type KeyReference = { readonly id: string } | { readonly prefix: string };

/** Adds a command whose first argument names a key, as a KeyReference. */
export function keyCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name).description(description);
  command.argument('<key>', 'the key: its id, or its prefix such as lk_live_4fJx81Qz', (text: string) => {
    const reference = parseKeyReference(text);
    // Commander's own error would repeat the text, which may be a secret.
    return reference.ok ? reference.value : command.error(`error: ${reference.problem}`);
  });
  return addTeamOption(command, 'the team of a key that is named by its prefix');
}

/** The problem does not repeat the text. */
function parseKeyReference(text: string): Parsed<KeyReference> {
  if (isUuid(text)) return accepted({ id: text });
  if (isPrefix(text)) return accepted({ prefix: text });
  const canBeSecret = /^[!-~]{25,}$/.test(text) && !mistypedUuid.test(text);
  return rejected(canBeSecret ? wholeKey : 'Expected a UUID, or a whole prefix such as lk_live_4fJx81Qz.');
}

const mistypedUuid = /^[0-9a-f]+(?:-[0-9a-f]+)+$/i;

const wholeKey =
  'This looks like a whole key, and nothing was sent. Give only its prefix, such as lk_live_4fJx81Qz. ' +
  "The process list and the shell's history show arguments: if others can read them, rotate the key.";

/** Returns the id of a key. Throws Failure if no key, or more than one, has the prefix. */
export async function idOf(reference: KeyReference, { team }: TeamOption): Promise<string> {
  if ('id' in reference) return reference.id;
  const { prefix } = reference;
  const ids: string[] = [];
  for (const teamId of await teamsOf(team)) {
    for await (const id of findInTeam(teamId, prefix)) {
      ids.push(id);
      if (ids.length > listedIds) break;
    }
  }
  const [id, ...others] = ids;
  if (id === undefined) {
    throw new Failure(
      'KEY_NOT_FOUND',
      // In another form, the text may be a short secret.
      `no key has ${prefixStart.test(prefix) ? `the prefix ${prefix}` : 'this prefix'}. A rotated key has another one: latchkey keys list`,
    );
  }
  if (others.length === 0) return id;
  throw new Failure(
    'AMBIGUOUS',
    `several keys have the prefix ${prefix}: give --team, or one of the ids ${ids.slice(0, listedIds).join(', ')}${ids.length > listedIds ? ', …' : ''}`,
  );
}

/** Imported keys can have the same prefix. */
async function* findInTeam(teamId: string, prefix: string): AsyncGenerator<string> {
  // A search also finds the text in names, and ignores case.
  for await (const key of readKeys(execute, { teamId, filter: { search: prefix, state: [...allStates] } })) {
    if (key.prefix === prefix) yield key.id;
  }
}

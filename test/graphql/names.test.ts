/**
 * How lists of keys compare names and other texts for people: the same on both databases, also on a PostgreSQL that sorts
 * by a language, and while version 0.1 wrote some of them.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, inject, it } from 'vitest';
import { createKey } from '../../src/manage/change/create-key.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { type ListKeysInput, listKeys } from '../../src/manage/read/read-keys.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { writeNamesAsBefore } from '../support/old-names.ts';
import { both, callerOf, serviceOn } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import { postgresDatabase, sqliteDatabase } from '../support/temporary-database.ts';

const german = "LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' TEMPLATE template0";

const running = inTests(async () => {
  const database =
    theProvider === 'sqlite' ? await sqliteDatabase() : await postgresDatabase(inject('postgresUrl'), german);
  const service = await serviceOn(database);
  const stop = async () => {
    await service.stop();
    await database.remove();
  };
  return { ...service, stop };
});
let team: string;
let caller: ReturnType<typeof callerOf>;
beforeEach(() => {
  team = randomUUID();
  caller = callerOf({ [team]: both });
});

const create = async (name: string, more: object = {}) =>
  (await createKey(running.service.management, caller, { teamId: team, name, env: 'live', ...more })).apiKey;
const page = async (input: Partial<ListKeysInput> = {}) =>
  await listKeys(running.service.management, caller, { teamId: team, first: 500, ...input });
const namesOf = async (input: Partial<ListKeysInput>) => (await page(input)).edges.map(({ node }) => node.name);

async function everyName(direction: 'ASC' | 'DESC', first: number): Promise<string[]> {
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const { edges, hasNextPage } = await page({ first, after, orderBy: { field: 'NAME', direction } });
    names.push(...edges.map(({ node }) => node.name));
    if (!hasNextPage) return names;
    after = edges.at(-1)?.cursor;
  }
}

it('lists by name have the order that people expect, whatever the size of the pages', async () => {
  const names = ['_x', '10', 'Äb', 'ac', 'app_1', 'appendix', 'Éclair', 'key 2', 'key 10', 'Łódź', 'Straße', 'z'];
  // In UTF-16, the last one is before the one before it.
  names.push('日本', '\ue100', '𠀀');
  for (const name of [...names.slice(5), ...names.slice(0, 5)]) await create(name);
  for (const first of [1, 4, 500]) {
    expect(await everyName('ASC', first)).toEqual(names);
    expect(await everyName('DESC', first)).toEqual(names.toReversed());
  }
});

it('a search finds a name in any case, with or without accents, also if version 0.1 wrote it', async () => {
  const searches: Readonly<Record<string, readonly string[]>> = {
    İstanbul: ['İstanbul', 'istanbul', 'ISTANBUL', 'ıstan'],
    Straße: ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
    'app_1%': ['app_1%', 'APP_', '%'],
    Müller: ['Müller', 'muller', 'Mu\u0308ller'],
  };
  const keys = await Promise.all(Object.keys(searches).map((name) => create(name)));
  for (const [name, terms] of Object.entries(searches))
    for (const search of terms) expect(await namesOf({ filter: { search } }), search).toEqual([name]);
  for (const search of ['app1', '\\', '\u0001']) {
    const found = namesOf({ filter: { search } });
    await (search === '\u0001'
      ? expect(found).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
      : expect(found).resolves.toEqual([]));
  }
  await writeNamesAsBefore(running.database.url, keys);
  // As it was written, as before the upgrade.
  for (const key of keys) {
    for (const search of [key.name, key.name.toUpperCase().replace('SS', 'ß'), key.prefix])
      expect(await namesOf({ filter: { search } }), search).toEqual([key.name]);
  }
});

it.each(['\u200b', '\u3164', '\u0301'])(
  'a search for nothing that is visible (%j) is rejected, as it would find every key',
  async (search) => {
    await expect(page({ filter: { search } })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: [{ field: 'filter.search', message: 'must have a visible character' }],
    });
  },
);

it('tags and external ids in NFC and NFD are one, and those from before are found in both', async () => {
  const [composed, decomposed] = ['M\u00fcller', 'Mu\u0308ller'];
  const settings = { externalId: decomposed, tags: [decomposed, 'plain'] };
  const key = await create('new', settings);
  expect(key).toMatchObject({ externalId: composed, tags: [composed, 'plain'] });
  await expect(create('twice', { tags: [composed, decomposed] })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  const old = await create('old');
  await runSql(
    running.database.url,
    `UPDATE "ApiKey" SET "externalId" = '${decomposed}', "tags" = '["${decomposed}", "plain"]' WHERE "id" = '${old.id}'`,
  );
  for (const text of [composed, decomposed]) {
    expect((await namesOf({ filter: { externalId: text } })).sort()).toEqual(['new', 'old']);
    expect((await namesOf({ filter: { tags: [text] } })).sort()).toEqual(['new', 'old']);
    expect((await namesOf({ filter: { tags: ['plain', text] } })).sort()).toEqual(['new', 'old']);
    expect(await namesOf({ filter: { tags: ['other', text] } })).toEqual([]);
    expect((await namesOf({ filter: { tags: ['plain', composed, decomposed] } })).sort()).toEqual(['new', 'old']);
  }
});

it('a key from before with a tag in both normal forms has it once, and not instead of another tag', async () => {
  const { id } = await create('old');
  const tags = JSON.stringify(['M\u00fcller', 'Mu\u0308ller']);
  await runSql(running.database.url, `UPDATE "ApiKey" SET "tags" = '${tags}' WHERE "id" = '${id}'`);
  expect(await namesOf({ filter: { tags: ['Mu\u0308ller'] } })).toEqual(['old']);
  expect(await namesOf({ filter: { tags: ['Mu\u0308ller', 'plain'] } })).toEqual([]);
  expect(await namesOf({ filter: { tags: ['Mu\u0308ller', 'S\u00f6hne'] } })).toEqual([]);
});

it('a key from before, with what is now rejected, is found by its texts, and its other settings can be changed', async () => {
  const { id } = await create('old');
  const text = 'a\u200bb';
  await runSql(
    running.database.url,
    `UPDATE "ApiKey" SET "name" = '${text}', "externalId" = '${text}', "tags" = '["${text}"]' WHERE "id" = '${id}'`,
  );
  for (const filter of [{ externalId: text }, { tags: [text] }]) expect(await namesOf({ filter })).toEqual([text]);
  const changed = await updateKey(running.service.management, caller, id, { description: 'Changed' });
  expect(changed).toMatchObject({ name: text, externalId: text, tags: [text], description: 'Changed' });
  expect(await namesOf({ filter: { search: 'AB' } })).toEqual([text]);
  await expect(updateKey(running.service.management, caller, id, { name: `${text}c` })).rejects.toMatchObject({
    fields: [{ field: 'name', message: 'must have no invisible characters: character 2 is U+200B' }],
  });
});

it('names of teams have the same order as names of keys', async () => {
  const { teamNames } = running.service.management.store;
  const names = ['app_1', 'appendix', 'Äther', 'key 2', 'key 10', 'Zoo'];
  for (const name of names.toReversed()) await teamNames.set({ id: randomUUID(), name });
  expect((await teamNames.list()).map(({ name }) => name)).toEqual(names);
});

it('a repeated create with the name in another normal form, or with other spaces, is the same request', async () => {
  const repeat = (name: string) =>
    createKey(running.service.management, caller, { teamId: team, name, env: 'live' }, 'one key');
  const { apiKey } = await repeat('Mu\u0308ller\u00a0& Co');
  await expect(repeat('M\u00fcller & Co')).rejects.toMatchObject({ code: 'KEY_ALREADY_CREATED' });
  expect((await page()).edges.map(({ node }) => node.id)).toEqual([apiKey.id]);
});

it('a name of the longest characters is stored, sorted and found', async () => {
  // Of all characters, these have the longest compatibility forms: 33 and 18 bytes.
  const longest = '\ufdfa\u3316'.repeat(50);
  await create(longest);
  await create('a');
  expect(await everyName('ASC', 1)).toEqual(['a', longest]);
  expect(await namesOf({ filter: { search: longest } })).toEqual([longest]);
});

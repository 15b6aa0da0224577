/** One search for keys, by what people have at hand: each such text finds its key, or the answer says why none. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { theProvider } from '../support/databases.ts';
import { foreignSecret, sha256 } from '../support/imports.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, graphql, importing, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService(theProvider));
const [team, other, foreign] = [randomUUID(), randomUUID(), randomUUID()];
const token = sessionToken({ [team]: importing, [other]: importing, [randomUUID()]: [] });
const call = (query: string, variables: object, as = token): Promise<Answer> =>
  graphql(running.url, as, query, { ...variables });

interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly secret: string;
}

async function create(name: string, more: object = {}, as = token): Promise<Key> {
  const query = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret apiKey { id name prefix } } }';
  const { data } = (await call(query, { input: { teamId: team, name, env: 'live', ...more } }, as)).body;
  return { ...data.createKey.apiKey, secret: data.createKey.secret };
}

async function rotate(id: string): Promise<Key> {
  const query = 'mutation ($id: UUID!) { rotateKey(id: $id) { secret apiKey { id name prefix } } }';
  const { data } = (await call(query, { id })).body;
  return { ...data.rotateKey.apiKey, secret: data.rotateKey.secret };
}

interface Found {
  readonly found: readonly (readonly [name: string, match: string, teamId: string])[];
  readonly hint: string | null;
  readonly linkable: string | null;
}

async function find(text: string, teamId: string | null = team): Promise<Found> {
  const query = `query ($text: String!, $teamId: UUID) { findKeys(text: $text, teamId: $teamId) {
    hint linkable keys { match apiKey { name teamId } } } }`;
  const { keys, ...rest } = (await call(query, { text, teamId })).body.data.findKeys;
  const found = keys.map(({ match, apiKey }: { match: string; apiKey: { name: string; teamId: string } }) => [
    apiKey.name,
    match,
    apiKey.teamId,
  ]);
  return { found, ...rest };
}

async function listed(search: string): Promise<readonly string[]> {
  const query = `query ($teamId: UUID!, $filter: KeyFilter) { keys(teamId: $teamId, first: 50, filter: $filter) { nodes { name } } }`;
  const filter = { search, state: ['ACTIVE', 'EXPIRED', 'DISABLED', 'REVOKED'] };
  const { nodes } = (await call(query, { teamId: team, filter })).body.data.keys;
  return nodes.map(({ name }: { name: string }) => name);
}

/** A key whose prefix has small and capital letters and digits, so that a lost case is one. */
async function mixedKey(name: string, more: object = {}): Promise<Key> {
  for (;;) {
    const key = await create(name, more);
    if (/[a-z]/.test(key.prefix.slice(8, 12)) && /[A-Z]/.test(key.prefix.slice(8, 12))) return key;
    await call('mutation ($id: UUID!) { updateKey(id: $id, input: { name: "Unwanted" }) { apiKey { id } } }', {
      id: key.id,
    });
  }
}

interface Keys {
  readonly billing: Key;
  readonly rotated: Key;
  readonly revoked: Key;
  readonly elsewhere: Key;
  readonly imported: { readonly secret: string };
}
const customer = randomUUID();
let keys: Keys;
beforeAll(async () => {
  const billing = await mixedKey('OrderServiceV2Production', {
    description: 'Invoices of the nightly run, for Übersee',
    tags: ['payments-eu', 'tier 1'],
    externalId: customer,
  });
  const rotated = await create('Rotated', { externalId: 'cus_9aXQ77' });
  const once = await rotate(rotated.id);
  await rotate(rotated.id);
  const revoked = await create('Revoked');
  await call('mutation ($id: UUID!) { revokeKey(id: $id) { apiKey { id } } }', { id: revoked.id });
  const elsewhere = await create('Of the other team', { teamId: other, externalId: 'cus_other' });
  const imported = { secret: foreignSecret() };
  await call(
    'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { results { outcome } } }',
    {
      t: team,
      k: [{ digest: sha256(imported.secret), name: 'Imported', env: 'live' }],
    },
  );
  keys = { billing, rotated: { ...once, secret: rotated.prefix }, revoked, elsewhere, imported };
});

const isHeader = (secret: string) => `Authorization: Bearer ${secret}`;
const flipped = (secret: string) => secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');

type Case = readonly [what: string, text: (keys: Keys) => string, name: string, match: string];
const order = 'OrderServiceV2Production';
const cases: readonly Case[] = [
  ['a whole secret', ({ billing }) => billing.secret, order, 'SECRET'],
  ['a prefix', ({ billing }) => billing.prefix, order, 'PREFIX'],
  ['a prefix in small letters', ({ billing }) => billing.prefix.toLowerCase(), order, 'PREFIX'],
  ['a prefix in capitals', ({ billing }) => billing.prefix.toUpperCase(), order, 'PREFIX'],
  ['a prefix and an ellipsis', ({ billing }) => `${billing.prefix}…`, order, 'PREFIX'],
  ['a prefix and three dots', ({ billing }) => `${billing.prefix}...`, order, 'PREFIX'],
  ['a prefix and asterisks', ({ billing }) => `${billing.prefix}_****`, order, 'PREFIX'],
  ['4 characters of a prefix, redacted', ({ billing }) => `${billing.prefix.slice(0, 12)}****`, order, 'PREFIX'],
  ['one character of a prefix, redacted', ({ billing }) => `${billing.prefix.slice(0, 9)}…`, order, 'PREFIX'],
  [
    '4 characters of a prefix in capitals',
    ({ billing }) => `${billing.prefix.slice(0, 12)}****`.toUpperCase(),
    order,
    'PREFIX',
  ],
  ['a line of JSON', ({ billing }) => `{"level":30,"key":"${billing.prefix}","path":"/orders"}`, order, 'PREFIX'],
  [
    'a line of nginx',
    ({ billing }) => `203.0.113.9 - - [01/Dec/2026:03:00:00 +0000] "GET /orders?key=${billing.secret} HTTP/1.1" 403 0`,
    order,
    'SECRET',
  ],
  ['a line of JSON with an escaped line break', ({ billing }) => `{"m":"failed\\n${billing.prefix}"}`, order, 'PREFIX'],
  ['a header', ({ billing }) => isHeader(billing.secret), order, 'SECRET'],
  ['a URL', ({ billing }) => `https://api.example.com/orders?key%3D${billing.secret}&x=1`, order, 'SECRET'],
  ['a quoted key', ({ billing }) => `"${billing.secret}"`, order, 'SECRET'],
  ['a key with spaces and line breaks', ({ billing }) => `  ${billing.secret}\n\n`, order, 'SECRET'],
  ['an id in capitals', ({ billing }) => billing.id.toUpperCase(), order, 'ID'],
  ['an id in a line', ({ billing }) => `keyId=${billing.id} code=DISABLED`, order, 'ID'],
  ['an id without dashes', ({ billing }) => billing.id.replaceAll('-', ''), order, 'ID'],
  ['a part of a name', () => 'servicev2', order, 'NAME'],
  ['a name with digits and letters', () => order, order, 'NAME'],
  ['a UUID that is an external id', () => customer.toUpperCase(), order, 'EXTERNAL_ID'],
  ['an external id', () => 'cus_9aXQ77', 'Rotated', 'EXTERNAL_ID'],
  ['a tag', () => 'Payments-EU', order, 'TAG'],
  ['words of a description', () => 'NIGHTLY run, for Übersee', order, 'DESCRIPTION'],
  ['a previous prefix', ({ rotated }) => rotated.prefix, 'Rotated', 'PREFIX'],
  ['an earlier prefix', ({ rotated }) => rotated.secret, 'Rotated', 'PREFIX'],
  ['the prefix of a revoked key', ({ revoked }) => revoked.prefix, 'Revoked', 'PREFIX'],
  ['the secret of an imported key', ({ imported }) => imported.secret, 'Imported', 'SECRET'],
  ['a header with an imported key', ({ imported }) => isHeader(imported.secret), 'Imported', 'SECRET'],
  ['the digest of an imported key', ({ imported }) => sha256(imported.secret), 'Imported', 'SECRET'],
  ['a secret with a typo', ({ billing }) => flipped(billing.secret), order, 'PREFIX'],
];

describe('a search', () => {
  it.each(cases)('finds the key by %s', async (_, text, name, match) => {
    const { found } = await find(text(keys));
    expect(found).toContainEqual([name, match, team]);
  });

  it.each([
    ['its prefix', ({ elsewhere }: Keys) => elsewhere.prefix, 'PREFIX'],
    ['its prefix in capitals, in a line', ({ elsewhere }: Keys) => `KEY: ${elsewhere.prefix.toUpperCase()}.`, 'PREFIX'],
    ['4 characters of its prefix', ({ elsewhere }: Keys) => `${elsewhere.prefix.slice(0, 12)}****`, 'PREFIX'],
    ['its id', ({ elsewhere }: Keys) => elsewhere.id, 'ID'],
    ['its secret', ({ elsewhere }: Keys) => elsewhere.secret, 'SECRET'],
    ['its external id', () => 'cus_other', 'EXTERNAL_ID'],
  ])('finds a key of another team of the caller by %s, also without a team', async (_, text, match) => {
    for (const teamId of [team, null]) {
      expect((await find(text(keys), teamId)).found[0]).toEqual(['Of the other team', match, other]);
    }
  });

  it.each<[string, (keys: Keys) => string, RegExp]>([
    ['15 characters of a secret', ({ billing }) => billing.secret.slice(20, 35), /A part of a secret can’t be found/],
    ['the last 6 characters of a secret', () => 'x7Qz0K', /A part of a secret can’t be found/],
    ['the last 4 characters of a secret', () => '7Qz0', /A part of a secret can’t be found/],
    ['a digest of a secret', ({ billing }) => sha256(billing.secret), /digest or a signing secret/],
    ['a signing secret', () => randomBytes(32).toString('hex'), /digest or a signing secret/],
    ['a session token', () => token, /session token/],
    ['the secret of a webhook', () => `whsec_${randomBytes(32).toString('base64')}`, /secret of a webhook/],
    ['an unknown prefix', () => 'lk_live_00000000', /No key of your teams has a prefix that is lk_live_00000000/],
    ['the beginning of one', () => 'LK_live_0000****', /has a prefix that begins with lk_live_0000\.$/],
    ['an unknown id', () => randomUUID(), /No key of your teams has this id/],
    ['a key of another tag', () => mintSecret('acme', 'live', randomBytes).secret, /begin with lk_/],
    [
      'an unknown secret with a typo',
      () => flipped(mintSecret('lk', 'live', randomBytes).secret),
      /its checksum is wrong/,
    ],
  ])('says why %s finds no key', async (_, text, hint) => {
    expect(await find(text(keys))).toEqual({ found: [], hint: expect.stringMatching(hint), linkable: null });
  });

  it('says that a secret has a typo although its prefix finds the key', async () => {
    expect((await find(flipped(keys.billing.secret))).hint).toMatch(/^The secret has a typo/);
  });

  it('puts an exact prefix before names, and lists the same keys of the team, except by a secret', async () => {
    await create(`Replaces ${keys.billing.prefix}`);
    expect((await find(keys.billing.prefix)).found.map(([name, match]) => [name, match])).toEqual([
      [order, 'PREFIX'],
      [`Replaces ${keys.billing.prefix}`, 'NAME'],
    ]);
    for (const [what, text, name] of cases) {
      const isByDigest = what.includes('imported key');
      expect([what, (await listed(text(keys))).includes(name)]).toEqual([what, !isByDigest]);
    }
  });

  it('says which part of a text can be in a link: never anything of a secret', async () => {
    const { billing, imported } = keys;
    const linkable = async (text: string) => (await find(text)).linkable;
    expect(await linkable(isHeader(billing.secret))).toBe(billing.prefix);
    expect(await linkable(`{"key":"${billing.prefix}"}`)).toBe(billing.prefix);
    expect(await linkable(`${billing.prefix.slice(0, 12)}****`.toUpperCase())).toBe(billing.prefix.slice(0, 12));
    expect(await linkable(`at ${billing.id.toUpperCase()}`)).toBe(billing.id);
    expect(await linkable('OrderService')).toBe('OrderService');
    for (const text of [imported.secret, customer, 'payments-eu', 'nightly run'])
      expect(await linkable(text)).toBeNull();
    const middle = billing.secret.slice(10, -4);
    await create(`Was ${middle}`);
    expect((await find(middle)).found.map(([, match]) => match)).toEqual(['NAME']);
    expect(await linkable(middle)).toBeNull();
  });

  it('puts the key with this name before newer keys that have it in a name or a tag', async () => {
    const [name, newer] = [`gateway-${randomUUID().slice(0, 8)}`, 40];
    await create(name);
    await Promise.all(Array.from({ length: newer }, (_, i) => create(`Behind ${i}`, { tags: [name] })));
    await create(`The other ${name}`);
    expect((await find(name)).found.slice(0, 3).map(([found, match]) => [found, match])).toEqual([
      [name, 'NAME'],
      [`The other ${name}`, 'NAME'],
      [expect.stringContaining('Behind'), 'TAG'],
    ]);
  });

  it('reads only 20 keys if their texts are long, so that none takes long', async () => {
    const { keys } = running.service.management.store;
    const tag = `long-${randomUUID().slice(0, 8)}`;
    const allowedIps = Array.from({ length: 100 }, (_, i) => `10.0.${i}.0/24 # ${'x'.repeat(230)}`);
    await Promise.all(Array.from({ length: 25 }, (_, i) => create(`Long ${i}`, { tags: [tag], allowedIps })));
    const counts: number[] = [];
    const search = keys.search.bind(keys);
    const spy = vi.spyOn(keys, 'search').mockImplementation(async (...listing) => {
      const found = await search(...listing);
      const read: typeof found.read = async (count) => {
        counts.push(count);
        return await found.read(count);
      };
      return { ...found, read };
    });
    onTestFinished(() => spy.mockRestore());
    expect((await find(tag)).found).toHaveLength(20);
    expect(counts).toEqual([20]);
  });

  it('tells nothing of teams that the caller may not view', async () => {
    const theirs = sessionToken({ [foreign]: importing });
    const key = await create('Theirs', { teamId: foreign, externalId: 'theirs-1' }, theirs);
    const hidden = sessionToken({ [team]: importing, [foreign]: ['manage_keys'] });
    const query =
      'query ($text: String!, $teamId: UUID) { findKeys(text: $text, teamId: $teamId) { hint keys { match } } }';
    for (const text of [key.id, key.prefix, key.prefix.slice(0, 12), key.secret, 'theirs-1']) {
      for (const as of [token, hidden]) {
        expect((await call(query, { text }, as)).body.data.findKeys.keys).toEqual([]);
      }
    }
    const { errors } = (await call(query, { text: key.id, teamId: foreign }, hidden)).body;
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('rejects a text that is empty or too long, without repeating it', async () => {
    const query = 'query ($text: String!) { findKeys(text: $text) { hint } }';
    for (const text of [' \n ', '\u00ad', 'k'.repeat(4001)]) {
      const { errors } = (await call(query, { text })).body;
      expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field: 'text' }] });
      expect(JSON.stringify(errors)).not.toContain('kkkk');
    }
  });
});

describe('a text for people with the secret of a key', () => {
  const settings = (secret: string) => [
    { name: secret },
    { description: `of ${secret}` },
    { tags: [secret] },
    { externalId: secret },
  ];

  it('is rejected by a create, an update, a change of many keys and an import, without being repeated', async () => {
    const { billing } = keys;
    const { id } = await create('To be changed');
    const rejected = async (query: string, variables: object) => {
      const { errors } = (await call(query, variables)).body;
      expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
      expect(JSON.stringify(errors)).toContain('must not contain the secret of a key');
      expect(JSON.stringify(errors)).not.toContain(billing.secret);
    };
    for (const input of settings(billing.secret)) {
      await rejected('mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }', {
        input: { teamId: team, name: 'New', env: 'live', ...input },
      });
      await rejected(
        'mutation ($id: UUID!, $input: UpdateKeyInput!) { updateKey(id: $id, input: $input) { apiKey { id } } }',
        {
          id,
          input,
        },
      );
      await rejected(
        'mutation ($t: UUID!, $k: [KeyToChangeInput!]!) { changeKeys(teamId: $t, action: UPDATE, keys: $k) { results { outcome } } }',
        { t: team, k: [{ id, settings: input }] },
      );
      await rejected(
        'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { results { outcome } } }',
        {
          t: team,
          k: [{ digest: sha256('any'), name: 'Imported', env: 'live', ...input }],
        },
      );
    }
  });
});

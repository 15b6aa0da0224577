/** The look-up of presented keys: what is answered without a confirmation round, and what a round confirms. */
import { hash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { parseIpAddress } from '../../src/domain/source/ip-address.ts';
import { UnknownKeyLimit } from '../../src/domain/verdict/unknown-key-limit.ts';
import { type KeyLookup, KeySearch } from '../../src/engine/key-search.ts';
import { type Key, ScriptedRounds } from '../support/scripted-rounds.ts';

const minted = () => mintSecret('lk', 'live', randomBytes).secret;
const secret = minted();
const wrongChecksum = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
const cacheKeyOf = (text: string) => hash('sha256', text, 'base64url');
const source = parseIpAddress('192.0.2.1') ?? undefined;

function scripted(unknownKeysPerMinute = 100) {
  const script = new ScriptedRounds({ timeoutMs: 50 });
  const state = { imports: false };
  const { cache, rounds, scheduler, events } = script;
  const unknownKeys = new UnknownKeyLimit(unknownKeysPerMinute);
  const search = new KeySearch<Key>({ cache, rounds, state, unknownKeys, now: () => scheduler.now() });
  const lookup = (text: string, more: Partial<KeyLookup<Key>> = {}): KeyLookup<Key> => ({
    secret: text,
    source,
    cacheKey: null,
    malformed: () => events.push('malformed'),
    limited: (seconds) => events.push(`limited for ${seconds} s`),
    decide: (match) => events.push(match?.state ?? 'unknown'),
    fail: (error) => events.push(`failed: ${error}`),
    ...more,
  });
  const find = async (text: string, more: Partial<KeyLookup<Key>> = {}) => {
    search.find(lookup(text, more));
    await scheduler.turn();
  };
  return { script, state, search, lookup, find };
}

it.each([['a text with a space'], ['']])('%j is malformed, and nothing is read', async (text) => {
  const { script, state, find } = scripted();
  for (const imports of [false, true]) {
    state.imports = imports;
    await find(text);
    expect(script.happened()).toEqual(['malformed']);
  }
  expect(script.reads).toEqual([]);
});

it('a key with a wrong checksum is malformed, and nothing is read, even if its source is over the limit', async () => {
  const { script, state, search, lookup, find } = scripted(1);
  for (const imports of [false, true]) {
    state.imports = imports;
    await find(wrongChecksum);
    expect(script.happened()).toEqual(['malformed']);
  }
  search.countUnknown(lookup('unknown'));
  await find(wrongChecksum);
  expect(script.happened()).toEqual(['malformed']);
  expect(script.reads).toEqual([]);
});

it('a key is read by its secret, and cached by its hash', async () => {
  const { script, find } = scripted();
  await find(secret);
  expect(script.reads).toMatchObject([{ keys: [secret] }]);
  await script.answer();
  expect(script.happened()).toEqual(['first']);
  expect(script.cache.get(cacheKeyOf(secret))).toBeDefined();
});

it('a text in a foreign format is looked up only if a key was ever imported, as of a state after its arrival', async () => {
  const { script, state, find } = scripted();
  await find('sk_of_another_system');
  await script.answer();
  expect(script.happened()).toEqual(['malformed']);
  await find('sk_of_another_system', { fresh: true, arrivedAt: 7 });
  state.imports = true;
  await script.answer();
  expect(script.happened()).toEqual([]);
  expect(script.read().keys).toEqual(['sk_of_another_system']);
  await script.answer();
  expect(script.happened()).toEqual(['first']);
  state.imports = false;
  await find('sk_of_another_system');
  await script.fail('gone');
  expect(script.happened()).toEqual(['failed: gone']);
});

it('a lease serves a text in a foreign format, unless its request needs a new round', async () => {
  const { script, find } = scripted();
  await script.confirm('a', { leaseMs: 1000 });
  await find('sk_of_another_system');
  expect(script.happened()).toEqual(['malformed']);
  expect(script.reads).toEqual([]);
  await find('sk_of_another_system', { fresh: true });
  expect(script.happened()).toEqual([]);
  expect(script.reads).toHaveLength(1);
});

it('a text in a foreign format waits no longer than the timeout since its arrival', async () => {
  const { script, find } = scripted();
  await script.scheduler.advance(20);
  await find('sk_of_another_system', { arrivedAt: 0 });
  await script.scheduler.advance(29);
  expect(script.happened()).toEqual([]);
  await script.scheduler.advance(1);
  expect(script.happened()).toEqual(['failed: too late']);
});

it('a source is limited for the rest of the minute since its first unknown key, and no other source is', async () => {
  const { script, search, lookup, find } = scripted(2);
  await script.scheduler.advance(90_000);
  search.countUnknown(lookup('unknown'));
  await find(minted());
  expect(script.happened()).toEqual([]);
  search.countUnknown(lookup('unknown'));
  await script.scheduler.advance(20_000);
  await find(minted());
  expect(script.happened()).toEqual(['limited for 40 s']);
  await find(minted(), { source: parseIpAddress('192.0.2.2') ?? undefined });
  expect(script.happened()).toEqual([]);
  await script.scheduler.advance(40_000);
  await find(minted());
  expect(script.happened()).toEqual([]);
});

it('a source with too many unknown keys gets no further look-up, but keys that are cached', async () => {
  const { script, search, lookup, find } = scripted(1);
  await find(secret);
  await script.answer();
  for (let i = 0; i < 5; i += 1) search.countUnknown(lookup('unknown'));
  script.happened();
  await find(minted());
  expect(script.happened()).toEqual(['limited for 60 s']);
  await find(secret);
  await script.answer();
  expect(script.happened()).toEqual(['first']);
  await find(minted(), { source: undefined });
  expect(script.happened()).toEqual([]);
});

it('a cached match that the caller takes needs no round; any other is confirmed', async () => {
  const { script, find } = scripted();
  await find(secret);
  await script.answer();
  script.happened();
  const taken: Key[] = [];
  const takes = (match: Key, answer: boolean) => {
    taken.push(match);
    return answer;
  };
  const reads = script.reads.length;
  await find(secret, { takesCached: (match) => takes(match, true) });
  expect(taken).toEqual([script.cache.get(cacheKeyOf(secret))]);
  expect(script.reads).toHaveLength(reads);
  await find(secret, { takesCached: (match) => takes(match, false) });
  expect(script.reads).toHaveLength(reads + 1);
  await find(minted(), { takesCached: (match) => takes(match, true) });
  await script.answer();
  await script.answer();
  expect(script.happened()).toEqual(['first', 'first']);
  expect(taken).toHaveLength(2);
});

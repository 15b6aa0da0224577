// SECURITY.md: Silent resolver
/** Against a real DNS server on loopback: what goes over the wire is what matters here. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { type Answer, decode, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HostResolver, type HostResolverOptions } from '../../src/dns/host-resolver.ts';
import { formatIpAddress, parseIpAddress } from '../../src/domain/source/ip-address.ts';
import { parseDnsServer } from '../../src/lib/dns-server.ts';

const rcodes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 };
/** Records (none is NODATA), an error, bytes of one's own, or nothing at all. */
type Reply = readonly Answer[] | keyof typeof rcodes | 'SILENCE' | Buffer;
type Zone = (type: string, name: string, query: Packet) => Reply;

const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, data, ttl });
const aaaa = (name: string, data: string, ttl = 60): Answer => ({ type: 'AAAA', name, data, ttl });
const cname = (name: string, data: string, ttl = 60): Answer => ({ type: 'CNAME', name, data, ttl });

function respond(query: Packet, reply: Exclude<Reply, 'SILENCE' | Buffer>): Packet {
  const { id, questions } = query;
  if (typeof reply === 'string') return { type: 'response', id, questions, flags: rcodes[reply] };
  return { type: 'response', id, questions, answers: [...reply] };
}

/** A name server and a resolver that asks it, on a clock that moves only by hand. */
async function start(zone: Zone, options: HostResolverOptions = {}) {
  const asked = new Map<string, string>();
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (message, from) => {
    const query = decode(message);
    const { type = '', name = '' } = query.questions?.[0] ?? {};
    // A second try has the id of the first, so it is not another query. It may arrive at any time.
    asked.set(`${query.id} ${type} ${name}`, `${type} ${name}`);
    const reply = zone(type, name, query);
    if (reply === 'SILENCE') return;
    socket.send(Buffer.isBuffer(reply) ? reply : encode(respond(query, reply)), from.port, from.address);
  });
  const { port } = socket.address();
  const clock = { ms: 1_000_000 };
  const resolver = new HostResolver({ servers: [`127.0.0.1:${port}`], now: () => clock.ms, ...options });
  onTestFinished(() => {
    resolver.close();
    socket.close();
  });
  const addresses = async (host: string) => (await resolver.addresses(host)).map(formatIpAddress);
  return { resolver, questions: () => [...asked.values()], clock, port, addresses };
}

const patient = { timeout: 15_000 };
const [gate, ip] = ['gate.example', '192.0.2.1'];
const aliases = [cname(gate, 'one', 100), cname('one', 'two', 10)];

/** What a host without IPv6 has. */
const ipv4Only = (type: string, ...records: readonly Answer[]) => (type === 'A' ? records : []);

test('a host is all its IPv4 and IPv6 addresses', async () => {
  const { addresses, questions } = await start((type, name) =>
    type === 'A'
      ? [a(name, '192.0.2.1'), a(name, '192.0.2.2')]
      : [aaaa(name, '2001:db8::1'), aaaa(name, '::ffff:192.0.2.3')],
  );
  expect(await addresses('gate.example')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1', '192.0.2.3']);
  expect(questions().sort()).toEqual(['A gate.example', 'AAAA gate.example']);
});

test('a name is resolved as it is: no search domain and no hosts file is used', async () => {
  const { addresses, questions } = await start(() => 'NXDOMAIN');
  expect(await addresses('localhost')).toEqual([]);
  expect(await addresses('gate')).toEqual([]);
  expect(questions().sort()).toEqual(['A gate', 'A localhost', 'AAAA gate', 'AAAA localhost']);
});

test.each(['SERVFAIL', 'NXDOMAIN', 'SILENCE'] as const)(
  'once its TTL is over, an address is rejected when the answer is %s: the expired answer is not used',
  async (reply) => {
    let down = false;
    const { addresses, clock } = await start((type, name) => (down ? reply : ipv4Only(type, a(name, '192.0.2.1'))), {
      timeoutMs: 500,
    });
    expect(await addresses('gate.example')).toEqual(['192.0.2.1']);
    down = true;
    clock.ms += 60_000;
    expect(await addresses('gate.example')).toEqual([]);
  },
);

test.each<[string, Zone, number]>([
  ['the smallest TTL decides', (type) => ipv4Only(type, a(gate, ip, 90), a(gate, '192.0.2.2', 30)), 30],
  ['the smaller TTL of the two families', (type) => (type === 'A' ? [a(gate, ip, 200)] : [aaaa(gate, '::1', 20)]), 20],
  ['the TTL of the only family', (type) => ipv4Only(type, a(gate, ip, 200)), 200],
  ['the smallest TTL of aliases, which are followed', (type) => [...aliases, ...ipv4Only(type, a('two', ip, 200))], 10],
  ['a TTL of 0 counts as 5 seconds', (type) => ipv4Only(type, a(gate, ip, 0)), 5],
  ['a TTL of a day counts as 300 seconds', (type) => ipv4Only(type, a(gate, ip, 86_400)), 300],
])('an answer is kept for its TTL: %s', async (_, zone, seconds) => {
  const { addresses, questions, clock } = await start(zone);
  expect(await addresses(gate)).toContain(ip);
  clock.ms += seconds * 1000 - 1;
  expect(await addresses(gate)).toContain(ip);
  expect(questions()).toHaveLength(2);
  clock.ms += 1;
  await addresses(gate);
  expect(questions()).toHaveLength(4);
});

test('the TTL counts from the moment of asking, however long the answer took', async () => {
  const { addresses, questions, clock } = await start((type, name) => {
    if (type === 'A') clock.ms += 4000;
    return ipv4Only(type, a(name, '192.0.2.1', 10));
  });
  await addresses('gate.example');
  clock.ms += 6000;
  await addresses('gate.example');
  expect(questions()).toHaveLength(4);
});

test.each([
  ['the name does not exist', 'NXDOMAIN'],
  ['the name has no address', []],
  ['the server fails', 'SERVFAIL'],
  ['the server rejects', 'REFUSED'],
  ['the server is silent', 'SILENCE'],
] as const)('when %s there is no address, and the name is not queried again for 5 seconds', async (_, reply) => {
  let exists = false;
  const zone: Zone = (type) => (exists ? ipv4Only(type, a(gate, ip)) : reply);
  const { addresses, questions, clock } = await start(zone, { timeoutMs: reply === 'SILENCE' ? 1000 : 15_000 });
  expect(await addresses(gate)).toEqual([]);
  exists = true;
  clock.ms += 4_999;
  expect(await addresses(gate)).toEqual([]);
  expect(questions()).toHaveLength(2);
  clock.ms += 1;
  expect(await addresses(gate)).toEqual([ip]);
  expect(questions()).toHaveLength(4);
});

test('a caller waits for two time-outs at most, however many servers are silent', async () => {
  const { port } = await start(() => 'SILENCE');
  const others = await Promise.all([start(() => 'SILENCE'), start(() => 'SILENCE')]);
  const servers = [port, ...others.map((other) => other.port)].map((each) => `127.0.0.1:${each}`);
  const { addresses } = await start(() => 'SILENCE', { servers, timeoutMs: 2000 });
  const begun = performance.now();
  expect(await addresses('gate.example')).toEqual([]);
  // Left alone, six tries take at least six time-outs.
  expect(performance.now() - begun).toBeLessThan(4 * 2000);
});

test('the next server is asked when one fails, does not listen, cannot be reached, or is silent', async () => {
  const good = await start((type, name) => ipv4Only(type, a(name, ip)));
  const failing = await start(() => 'SERVFAIL');
  const silent = await start(() => 'SILENCE');
  const gone = createSocket('udp4').bind(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port: closed } = gone.address();
  await new Promise<void>((resolve) => gone.close(() => resolve()));
  // All but the last at once: a quarter of the timeout would be too long for this test.
  for (const [first, timeoutMs] of [
    [`127.0.0.1:${failing.port}`, 3_600_000],
    [`127.0.0.1:${closed}`, 3_600_000],
    // A broadcast address, to which no socket may connect: like a server in a network without a route.
    ['255.255.255.255', 3_600_000],
    [`127.0.0.1:${silent.port}`, 2000],
  ] as const) {
    const servers = [first, `127.0.0.1:${good.port}`];
    const { addresses } = await start(() => 'SILENCE', { servers, timeoutMs });
    expect(await addresses(gate)).toEqual([ip]);
  }
});

test.each([
  ['192.0.2.1', '192.0.2.1', 53],
  ['192.0.2.1:5353', '192.0.2.1', 5353],
  ['2001:db8::1', '2001:db8::1', 53],
  ['[2001:db8::1]:5353', '2001:db8::1', 5353],
  ['fe80::1%eth0', 'fe80::1%eth0', 53],
])('the server %s has the address %s and the port %i', (text, address, port) => {
  expect(parseDnsServer(text)).toEqual({ address, port });
});

test('one lost packet is not an error', async () => {
  const seen = new Set<string>();
  const { addresses } = await start(
    (type, name) => {
      if (seen.has(type)) return ipv4Only(type, a(name, '192.0.2.1'));
      seen.add(type);
      return 'SILENCE';
    },
    { timeoutMs: 4000 },
  );
  expect(await addresses('gate.example')).toEqual(['192.0.2.1']);
});

test.each(['SERVFAIL', 'SILENCE'] as const)(
  'when IPv4 answers and IPv6 is %s, the answer is used, and both are queried again after 5 seconds',
  async (reply) => {
    let broken = true;
    const { addresses, questions, clock } = await start(
      (type, name) => (type === 'A' ? [a(name, '192.0.2.1', 300)] : broken ? reply : [aaaa(name, '2001:db8::1', 300)]),
      { timeoutMs: 500 },
    );
    expect(await addresses('gate.example')).toEqual(['192.0.2.1']);
    const asked = questions().length;
    broken = false;
    clock.ms += 4_999;
    expect(await addresses('gate.example')).toEqual(['192.0.2.1']);
    expect(questions()).toHaveLength(asked);
    clock.ms += 1;
    expect(await addresses('gate.example')).toEqual(['192.0.2.1', '2001:db8::1']);
  },
);

test('what answered is not used for longer than its TTL because the other family failed', async () => {
  const { addresses, questions, clock } = await start((type, name) => {
    if (type === 'AAAA') return 'SERVFAIL';
    clock.ms += 4000;
    return [a(name, '192.0.2.1', 5)];
  });
  expect(await addresses('gate.example')).toEqual(['192.0.2.1']);
  clock.ms += 1000;
  await addresses('gate.example');
  expect(questions()).toHaveLength(4);
});

test('a hundred concurrent callers cause one query for each address family', async () => {
  const { resolver, questions } = await start((type) => ipv4Only(type, a('gate.example', '192.0.2.1')));
  const answers = await Promise.all(Array.from({ length: 100 }, () => resolver.addresses('gate.example')));
  expect(new Set(answers.map((answer) => answer.map(formatIpAddress).join()))).toEqual(new Set(['192.0.2.1']));
  expect(questions().sort()).toEqual(['A gate.example', 'AAAA gate.example']);
});

test('an answer too long for UDP fails where TCP is closed: a part of the list is never used', async () => {
  const { addresses } = await start(
    (_, name, query) => encode({ ...respond(query, [a(name, '192.0.2.1')]), flags: TRUNCATED_RESPONSE }),
    { timeoutMs: 50 },
  );
  expect(await addresses('gate.example')).toEqual([]);
});

test('the bytes of cached names are limited: the least recently used one is queried again', async () => {
  const { addresses, questions } = await start((type, name) => ipv4Only(type, a(name, '192.0.2.1')), {
    maxBytes: 2 * 1300,
  });
  for (const host of ['one.example', 'two.example', 'one.example', 'three.example', 'one.example', 'two.example'])
    expect(await addresses(host)).toEqual(['192.0.2.1']);
  expect(questions().filter((question) => question.startsWith('A '))).toEqual([
    'A one.example',
    'A two.example',
    'A three.example',
    'A two.example',
  ]);
});

test('a name in use is queried again before its answer expires, and an unused one is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let current = '192.0.2.1';
  const { addresses, questions, clock } = await start((type, name) => ipv4Only(type, a(name, current, 60)));
  const pass = (ms: number) => {
    clock.ms += ms;
    vi.advanceTimersByTime(ms);
  };
  expect(await addresses('used.example')).toEqual(['192.0.2.1']);
  current = '192.0.2.2';
  pass(48_000);
  // The answer to the second query is used from then on.
  await vi.waitUntil(() => questions().length === 4, patient);
  await vi.waitUntil(async () => (await addresses('used.example')).includes('192.0.2.2'), patient);
  // As of its own time: the first answer has ended long ago.
  pass(47_000);
  expect(await addresses('used.example')).toEqual(['192.0.2.2']);
  pass(1000);
  await vi.waitUntil(() => questions().length === 6, patient);
  // Nothing asks for it any more.
  for (let i = 0; i < 10; i += 1) {
    pass(60_000);
    for (let j = 0; j < 20; j += 1) await turn();
  }
  expect(questions().length).toBeLessThanOrEqual(8);
});

test('while a renewal gets no answer, the last answer is used until it expires and no longer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let silent = false;
  const { resolver, addresses, questions, clock } = await start((type, name) =>
    silent ? 'SILENCE' : ipv4Only(type, a(name, '192.0.2.1', 60)),
  );
  expect(await addresses('gate.example')).toEqual(['192.0.2.1']);
  silent = true;
  clock.ms += 59_999;
  vi.advanceTimersByTime(59_000);
  await vi.waitUntil(() => questions().length === 4, patient);
  const address = parseIpAddress('192.0.2.1');
  if (address === null) throw new Error('no address');
  expect(resolver.haveAddress('', ['gate.example'], address)).toBe(true);
  clock.ms += 1;
  expect(resolver.haveAddress('', ['gate.example'], address)).toBeUndefined();
});

test("a team with too many names loses its own, and no other team's", async () => {
  const { resolver, questions } = await start((type, name) => ipv4Only(type, a(name, '192.0.2.1')), {
    maxBytes: 4 * 1300,
  });
  await resolver.addresses('only.example', 'small');
  for (let i = 0; i < 10; i += 1) await resolver.addresses(`name-${i}.example`, 'large');
  const asked = questions().length;
  await resolver.addresses('only.example', 'small');
  expect(questions()).toHaveLength(asked);
  await resolver.addresses('name-0.example', 'large');
  expect(questions()).toHaveLength(asked + 2);
});

test('no team learns from the cache of another: each team has its own queries', async () => {
  const { resolver, questions } = await start((type, name) => ipv4Only(type, a(name, '192.0.2.1')));
  await resolver.addresses('gate.example', 'one');
  await resolver.addresses('gate.example', 'other');
  expect(questions()).toHaveLength(4);
});

test('callers of one team above its budget fail immediately, and those of another team wait', async () => {
  const { resolver } = await start(() => 'SILENCE', { maxWaiting: 2, timeoutMs: 60_000 });
  const waiting = [resolver.addresses('a.example', 'one'), resolver.addresses('a.example', 'one')];
  await expect(resolver.addresses('b.example', 'one')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await resolver.resolve('one', ['b.example'])).toBe(false);
  waiting.push(resolver.addresses('b.example', 'other'));
  resolver.close();
  expect(await Promise.all(waiting)).toEqual([[], [], []]);
});

test('names are resolved ahead, up to the limit of queries', async () => {
  const { resolver, questions } = await start((type, name) => ipv4Only(type, a(name, '192.0.2.1')));
  resolver.prefetch('one', ['a.example', 'b.example']);
  await vi.waitUntil(() => questions().length === 4, patient);
  expect((await resolver.addresses('a.example', 'one')).map(formatIpAddress)).toEqual(['192.0.2.1']);
  expect(questions()).toHaveLength(4);
  resolver.prefetch(
    'other',
    Array.from({ length: 1000 }, (_, i) => `name-${i}.example`),
  );
  await resolver.addresses('a.example', 'one');
  expect(await resolver.resolve('other', ['more.example'])).toBe(false);
});

test('closing ends the open queries without an answer, and starts no more', async () => {
  const { resolver, addresses, questions } = await start(() => 'SILENCE', { timeoutMs: 60_000 });
  const open = addresses('gate.example');
  while (questions().length < 2) await turn();
  resolver.close();
  expect(await open).toEqual([]);
  expect(await addresses('other.example')).toEqual([]);
  expect(questions()).toHaveLength(2);
});

// SECURITY.md: Bytes from outside; Silent resolver
/** The reader of DNS answers, against dns-packet and against bytes that no server should send. */
import { type Answer, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DnsAnswer, dnsQuery, type RecordType, readAnswer } from '../../src/dns/dns-message.ts';
import { addressOf, formatIpAddress } from '../../src/domain/source/ip-address.ts';

const host = 'gate.example';
const query = (type: RecordType = 'A') => dnsQuery(host, type);

function answerTo({ bytes, type }: ReturnType<typeof query>, more: Packet = {}): Buffer {
  return encode({ type: 'response', id: bytes.readUInt16BE(0), questions: [{ type, name: host }], ...more });
}

const texts = (answer: DnsAnswer | null) =>
  answer?.outcome === 'answered' ? answer.addresses.map((number) => formatIpAddress(addressOf(number))) : answer;

const a = (data: string): Answer => ({ type: 'A', name: host, ttl: 60, data });

test.each([
  ['A', ['192.0.2.1', '255.255.255.255', '0.0.0.0']],
  ['AAAA', ['2001:db8::1', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']],
] as const)('reads the addresses of %s records, wherever others stand between them', (type, data) => {
  const others: Answer[] = [
    { type: 'CNAME', name: host, data: 'other.example', ttl: 30 },
    { type: 'TXT', name: host, data: 'a text', ttl: 1 },
    { type: type === 'A' ? 'AAAA' : 'A', name: host, data: type === 'A' ? '::1' : '127.0.0.1', ttl: 1 },
  ];
  const asked = query(type);
  const answers = data.flatMap((address): Answer[] => [
    ...others,
    { type, name: 'other.example', data: address, ttl: 60 },
  ]);
  const answer = readAnswer(answerTo(asked, { answers, authorities: others, additionals: others }), asked);
  expect(texts(answer)).toEqual(data);
  expect(answer).toMatchObject({ ttlSeconds: 30 });
});

test('a TTL with the most significant bit is 0', () => {
  const asked = query();
  const message = answerTo(asked, { answers: [a('192.0.2.1')] });
  message.writeUInt32BE(0x8000_0001, message.length - 10);
  expect(readAnswer(message, asked)).toMatchObject({ outcome: 'answered', ttlSeconds: 0 });
});

test('64 addresses are read, and with one more none is', () => {
  const asked = query();
  const read = (count: number) =>
    readAnswer(answerTo(asked, { answers: Array.from({ length: count }, (_, i) => a(`192.0.2.${i}`)) }), asked);
  expect(texts(read(64))).toHaveLength(64);
  expect(read(65)).toEqual({ outcome: 'too many' });
});

test.each<[string, number, number]>([
  ['the id of another query', 0, 1],
  ['no answer but a query', 2, 0x8000],
  ['another operation', 2, 0x0800],
  ['no question', 4, 1],
  ['another name', 14, 1],
  ['another type', 26, 1],
  ['another class', 28, 1],
])('a message with %s is not taken for the answer', (_, at, bits) => {
  const asked = query();
  const message = answerTo(asked, { answers: [a('192.0.2.1')] });
  expect(readAnswer(message, asked)?.outcome).toBe('answered');
  message.writeUInt16BE(message.readUInt16BE(at) ^ bits, at);
  expect(readAnswer(message, asked)).toBeNull();
  expect(readAnswer(message.subarray(0, 12), asked)).toBeNull();
});

test('a truncated answer, an error and a missing name are told apart', () => {
  const asked = query();
  const withFlags = (flags: number) => readAnswer(answerTo(asked, { flags }), asked)?.outcome;
  expect([TRUNCATED_RESPONSE, 0, 3, 2, 5, 1].map(withFlags)).toEqual([
    'truncated',
    'answered',
    'answered',
    'failed',
    'failed',
    'failed',
  ]);
});

const aRecord = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
const record = fc.oneof(
  fc.constant(aRecord),
  // A name that points to itself, and one of labels only.
  fc.constant(Buffer.from([0xc0, 30, 0, 5, 0, 1, 0, 0, 0, 60, 0, 2, 0xc0, 30])),
  fc.constant(Buffer.concat([Buffer.alloc(254, '\x01a'), Buffer.alloc(11)])),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

test('whatever the bytes, reading ends, with an outcome and at most 64 addresses', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 100 }), fc.nat(65_535), fc.nat(40), (records, count, cut) => {
      const asked = query();
      const whole = Buffer.concat([answerTo(asked), ...records]);
      whole.writeUInt16BE(count, 6);
      const answer = readAnswer(whole.subarray(0, whole.length - cut), asked);
      if (answer?.outcome === 'answered') expect(answer.addresses.length).toBeLessThanOrEqual(64);
      else expect(answer === null ? 'none' : answer.outcome).toMatch(/^(?:none|failed|too many)$/);
    }),
  );
});

test('an answer that ends within a record fails: a part of the list is never used', () => {
  const asked = query();
  const message = answerTo(asked, { answers: [a('192.0.2.1'), a('192.0.2.2')] });
  const start = asked.bytes.length;
  for (let end = start; end < message.length; end += 1) {
    expect(readAnswer(message.subarray(0, end), asked)).toEqual({ outcome: 'failed' });
  }
});

test('each byte is read a fixed number of times: no name is followed, whatever its pointers', () => {
  const asked = query();
  // The question is the longest name of all, and each of 1,400 records points to it or to the record before.
  const pointers = Array.from({ length: 1400 }, (_, i) =>
    Buffer.from([0xc0, i % 2 === 0 ? 12 : 0xff, 0, 99, 0, 1, 0, 0, 0, 5, 0, 0]),
  );
  const message = Buffer.concat([answerTo(asked), ...pointers]);
  message.writeUInt16BE(pointers.length, 6);
  let reads = 0;
  const counted = new Proxy(message, {
    get: (target, property) => {
      reads += 1;
      const value = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  expect(readAnswer(counted, asked)).toMatchObject({ outcome: 'answered', addresses: [] });
  expect(reads).toBeLessThan(10 * pointers.length);
});

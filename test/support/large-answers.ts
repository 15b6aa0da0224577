/** A DNS server on loopback that answers every name with many addresses, which fit only into an answer over TCP. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

const [typeA, typeAaaa] = [1, 28];
const truncatedResponse = 0x8380;
const response = 0x8180;

export interface LargeAnswers {
  /** The number of A and AAAA records of a name, at most what an answer of 64 kB has room for: 4,000 and 2,300. */
  readonly a: number;
  readonly aaaa: number;
  readonly ttl?: number;
  /** Changes the bytes of an answer over TCP, without its length, or replaces the length. */
  readonly frame?: (answer: Buffer) => Buffer;
}

export async function startLargeNameServer({ a, aaaa, ttl = 60, frame = framed }: LargeAnswers) {
  const records = new Map([
    [typeA, records4(a, ttl)],
    [typeAaaa, records6(aaaa, ttl)],
  ]);
  const counts = { truncated: 0, connections: 0, sentBytes: 0 };
  const server = createServer((socket) => {
    counts.connections += 1;
    serve(socket, (query) => {
      const reply = frame(answerTo(query, records));
      counts.sentBytes += reply.length;
      return reply;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const udp = createSocket('udp4').bind(address.port, '127.0.0.1');
  await once(udp, 'listening');
  udp.on('message', (query, from) => {
    counts.truncated += 1;
    udp.send(withFlags(questionOf(query), truncatedResponse, 0), from.port, from.address);
  });
  return {
    address: `127.0.0.1:${address.port}`,
    counts,
    stop: () => {
      udp.close();
      server.close();
    },
  };
}

function serve(socket: Socket, reply: (query: Buffer) => Buffer): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      socket.write(reply(received.subarray(2, end)));
      received = received.subarray(end);
    }
  });
  socket.on('error', () => undefined);
}

export function framed(answer: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(answer.length);
  return Buffer.concat([length, answer]);
}

function answerTo(query: Buffer, records: ReadonlyMap<number, readonly Buffer[]>): Buffer {
  const question = questionOf(query);
  const answers = records.get(question.readUInt16BE(question.length - 4)) ?? [];
  return Buffer.concat([withFlags(question, response, answers.length), ...answers]);
}

/** The header and the question, without the additional records of EDNS. */
function questionOf(query: Buffer): Buffer {
  let end = 12;
  while (query[end] !== 0) end += 1 + (query[end] ?? 0);
  return Buffer.from(query.subarray(0, end + 5));
}

function withFlags(question: Buffer, flags: number, answers: number): Buffer {
  question.writeUInt16BE(flags, 2);
  question.writeUInt16BE(answers, 6);
  question.writeUInt16BE(0, 10);
  return question;
}

const records4 = (count: number, ttl: number) =>
  Array.from({ length: count }, (_, i) => record(typeA, ttl, Buffer.from([198, 18, i >> 8, i & 255])));

const records6 = (count: number, ttl: number) =>
  Array.from({ length: count }, (_, i) => {
    const data = Buffer.alloc(16);
    data.writeUInt32BE(0x20010db8);
    data.writeUInt32BE(i, 12);
    return record(typeAaaa, ttl, data);
  });

/** A record of the name in the question, to which the two bytes of its name point (RFC 1035, section 4.1.4). */
function record(type: number, ttl: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  head.writeUInt32BE(ttl, 6);
  return Buffer.concat([head, data]);
}

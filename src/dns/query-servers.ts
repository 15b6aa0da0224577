/**
 * Sends DNS queries over UDP, and over TCP if the answer is truncated (RFC 7766). c-ares, which Node.js uses, reads and
 * parses up to 64 kB over TCP, and has no option for that. Each query has a random id and sockets of its own with random
 * ports (RFC 5452), which receive from the address of their server only.
 */
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { DnsServer } from '../lib/dns-server.ts';
import { type DnsAnswer, type DnsQuery, readAnswer } from './dns-message.ts';

/** The maximum length of an answer. 64 addresses need 1.8 kB. */
const maxBytes = 16_384;
/** Of one query, so that its sockets are few. */
const maxServers = 3;

const failure: DnsAnswer = { outcome: 'failed' };

type OnAnswer = (answer: DnsAnswer) => void;

/** A query at one server. */
interface Try {
  readonly resend: () => void;
  readonly close: () => void;
}

/**
 * Queries the servers in turn until one answers: the next one when a server fails, or after a quarter of the timeout. When
 * none is left, sends the query again to those that are silent, because one lost packet must not fail it. Calls back
 * once. The returned function ends the query with a failure.
 */
export function queryServers(
  servers: readonly DnsServer[],
  query: DnsQuery,
  timeoutMs: number,
  onAnswer: OnAnswer,
): () => void {
  const left = servers.slice(0, maxServers);
  const { length } = left;
  const tries: Try[] = [];
  let [failed, quarters] = [0, 0];
  const end = (answer: DnsAnswer) => {
    clearInterval(timer);
    for (const { close } of tries) close();
    onAnswer(answer);
  };
  const tryNext = () => {
    const server = left.shift();
    if (server === undefined) for (const { resend } of tries) resend();
    else tries.push(queryServer(server, query, onTried));
  };
  const onTried = (answer: DnsAnswer) => {
    if (answer.outcome === 'failed') failed += 1;
    if (answer.outcome !== 'failed' || failed === length) end(answer);
    else if (left.length > 0) tryNext();
  };
  const timer = setInterval(() => {
    quarters += 1;
    if (quarters === 4) end(failure);
    else tryNext();
  }, timeoutMs / 4);
  tryNext();
  return () => end(failure);
}

/** Calls back at most once, and not after it was closed. */
function queryServer(server: DnsServer, query: DnsQuery, onAnswer: OnAnswer): Try {
  let isOver = false;
  const onceOver: OnAnswer = (answer) => {
    if (isOver) return;
    current.close();
    if (answer.outcome === 'truncated') {
      current = overTcp(server, query, onceOver);
    } else {
      isOver = true;
      onAnswer(answer);
    }
  };
  let current = overUdp(server, query, onceOver);
  return {
    resend: () => {
      if (!isOver) current.resend();
    },
    close: () => {
      if (!isOver) current.close();
      isOver = true;
    },
  };
}

function overUdp({ address, port }: DnsServer, query: DnsQuery, onAnswer: OnAnswer): Try {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.on('message', (message) => {
    const answer = message.length > maxBytes ? null : readAnswer(message, query);
    if (answer !== null) onAnswer(answer);
  });
  const fail = () => onAnswer(failure);
  // For example because no server listens there, or no route leads there. With a callback, `connect` emits no error.
  socket.on('error', fail);
  const send = () => socket.send(query.bytes, (error) => error && fail());
  socket.on('connect', send);
  socket.connect(port, address);
  return { resend: send, close: () => socket.close() };
}

/** Reads the length, closes the connection if it is too large, and reads as many bytes and no more. */
function overTcp({ address, port }: DnsServer, query: DnsQuery, onAnswer: OnAnswer): Try {
  let buffer = Buffer.alloc(2);
  let isLengthRead = false;
  let received = 0;
  const onRead = (count: number) => {
    received += count;
    if (received < buffer.length) return true;
    if (isLengthRead) {
      const answer = readAnswer(buffer, query);
      onAnswer(answer === null || answer.outcome === 'truncated' ? failure : answer);
      return false;
    }
    const length = buffer.readUInt16BE(0);
    if (length > maxBytes || length < query.bytes.length) {
      onAnswer(length > maxBytes ? { outcome: 'too many' } : failure);
      return false;
    }
    buffer = Buffer.alloc(length);
    isLengthRead = true;
    received = 0;
    return true;
  };
  const onread = { buffer: () => buffer.subarray(received), callback: onRead };
  const socket = connect({ host: address, port, onread });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.bytes.length);
  socket.write(Buffer.concat([length, query.bytes]));
  socket.on('error', () => onAnswer(failure));
  socket.on('close', () => onAnswer(failure));
  return { resend: () => undefined, close: () => socket.destroy() };
}

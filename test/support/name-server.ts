/** A DNS server on loopback that knows a few hosts and denies the others. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';

const nameError = 3;

export type NameServer = Awaited<ReturnType<typeof startNameServer>>;

/** `hosts`: the IPv4 addresses of each; they may change. */
export async function startNameServer(hosts: Readonly<Record<string, readonly string[]>>) {
  let asked = 0;
  let kept: (() => void)[] | null = null;
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (message, from) => {
    asked += 1;
    const answer = () => {
      const { id, questions } = decode(message);
      const { type, name = '' } = questions?.[0] ?? {};
      const answers = (type === 'A' ? (hosts[name] ?? []) : []).map((data) => ({
        type: 'A' as const,
        name,
        ttl: 60,
        data,
      }));
      const flags = hosts[name] === undefined ? nameError : 0;
      socket.send(encode({ type: 'response', id, questions, flags, answers }), from.port, from.address);
    };
    if (kept === null) answer();
    else kept.push(answer);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: () => asked,
    /** From now on queries are kept without an answer. */
    hold: () => {
      kept ??= [];
    },
    /** Answers what was kept, and from now on everything at once. */
    release: () => {
      const answers = kept ?? [];
      kept = null;
      for (const answer of answers) answer();
    },
    stop: () => {
      socket.close();
    },
  };
}

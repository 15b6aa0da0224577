/** Many clients at once: wrk for callers without pauses, and sockets for clients that send slowly or stay idle. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Call } from './probe.ts';

export interface Served {
  readonly perSecond: number;
  readonly rejectedPerSecond: number;
  /** The report of wrk about broken connections; empty if there are none. */
  readonly errors: string;
}

/** The calls, which all go to one port, are sent in turn. */
export async function call(
  calls: readonly [Call, ...Call[]],
  clients: number,
  seconds: number,
  directory: string,
): Promise<Served> {
  const script = join(directory, 'call.lua');
  writeFileSync(
    script,
    [
      'local requests = {}',
      'init = function()',
      ...calls.map((one) => `  requests[#requests + 1] = ${formatted(one)}`),
      'end',
      'local i = 0',
      'request = function() i = i % #requests + 1; return requests[i] end',
    ].join('\n'),
  );
  const [{ url }] = calls;
  const options = ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url];
  const { stdout } = await promisify(execFile)('wrk', options);
  const all = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const rejected = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  return {
    perSecond: (all - rejected) / seconds,
    rejectedPerSecond: rejected / seconds,
    errors: /Socket errors: (.*)/.exec(stdout)?.[1] ?? '',
  };
}

function formatted({ url, method, headers, body }: Call): string {
  const fields = Object.entries(headers).map(([name, value]) => `[${quote(name)}] = ${quote(value)}`);
  return `wrk.format(${quote(method)}, ${quote(new URL(url).pathname)}, { ${fields.join(', ')} }, ${quote(body)})`;
}

/** Quotes a string for Lua. The strings used here look the same as in JSON. */
const quote = (text: string) => JSON.stringify(text);

export interface Sitting {
  /** How many the server has cut off. */
  readonly cut: () => number;
  readonly leave: () => void;
}

/** Connections that send the given text, then `trickle` once a second, and never finish. */
export async function sit(url: string, clients: number, text: string, trickle: string): Promise<Sitting> {
  const { port } = new URL(url);
  const sockets: Socket[] = [];
  let cut = 0;
  // In portions: a burst beyond the listen queue would test the kernel.
  for (let i = 0; i < clients; i += 200) {
    const portion = Array.from({ length: Math.min(200, clients - i) }, () => connect(Number(port), '127.0.0.1'));
    sockets.push(...portion);
    await Promise.all(portion.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of portion) {
      socket.on('error', () => undefined).once('close', () => (cut += 1));
      socket.resume();
      if (text !== '') socket.write(text);
    }
  }
  const timer = setInterval(() => {
    if (trickle === '') return;
    for (const socket of sockets) if (socket.writable) socket.write(trickle);
  }, 1000);
  return {
    cut: () => cut,
    leave: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

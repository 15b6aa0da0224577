/** The floor: a grpc-js server that reads a CheckRequest as bytes, and answers each with the same bytes. */
import { Server, ServerCredentials } from '@grpc/grpc-js';

const [port = '', answer = ''] = process.argv.slice(2);
const bytes = Buffer.from(answer, 'base64');
const same = (message: Buffer) => message;
const check = {
  path: '/envoy.service.auth.v3.Authorization/Check',
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
} as const;

const server = new Server({ 'grpc.enable_channelz': 0 });
server.addService(
  { check },
  { check: (_: unknown, send: (error: null, message: Buffer) => void) => send(null, bytes) },
);
server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), () => console.log('ready'));

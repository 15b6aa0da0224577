/**
 * 8 connections without a token flood the port for Envoy over gRPC with calls that they reset, health checks, unknown
 * methods or new connections; a serial client verifies its key over HTTP, and another one over gRPC.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percentile } from '../../../harness/statistics.ts';
import { checkRequest, encodedCheck } from '../../../support/ext-authz.ts';
import { freePort } from '../../../support/free-port.ts';
import { type Assault, type Attack, measure, medianRow, type Row } from '../attack.ts';
import type { Http2FloodPlan } from '../http2-flood-process.ts';
import { attackerAddresses, type Load } from '../load.ts';
import { createKey, type Key, newTenant, serialVerifications } from '../tenants.ts';

const connections = 8;
const pauseMs = 20;
const token = 'a-verifier-token-of-the-victim';
const checkPath = '/envoy.service.auth.v3.Authorization/Check';

const floods = {
  'calls that are reset': { path: checkPath, resets: true },
  'health checks': { path: '/grpc.health.v1.Health/Check', resets: false },
  'unknown methods': { path: '/unknown.Service/Method', resets: false },
  'new connections': { path: null, resets: false },
  'calls without a token': { path: checkPath, resets: false },
};

export const extAuthzFloods: Attack = {
  name: 'ext-authz-floods',
  run: async (stage) => {
    const port = await freePort();
    const server = await stage.start({ EXT_AUTHZ_PORT: String(port), VERIFIER_TOKENS: token });
    const key = await createKey(server, newTenant());
    const rows: Row[] = [];
    for (const [name, flood] of Object.entries(floods)) {
      const begin = () => startFlood({ port, addresses: attackerAddresses(connections), ...flood });
      const { requests, ...plan } = serialVerifications(server, key);
      const withToken = requests.map((request) => request.replace('\r\n', `\r\nAuthorization: Bearer ${token}\r\n`));
      const victim = `a serial verifier beside ${name}`;
      rows.push(medianRow(await measure({ victim, plan: () => ({ ...plan, requests: withToken }), begin })));
      const overGrpc = await measure({ victim: `${victim}, over gRPC`, start: () => serialChecks(port, key), begin });
      rows.push(medianRow(overGrpc));
    }
    return rows;
  },
};

async function startFlood(plan: Http2FloodPlan): Promise<Assault> {
  const child = fork(fileURLToPath(new URL('../http2-flood-process.ts', import.meta.url)));
  child.send(plan);
  await once(child, 'message');
  return {
    stop: async () => {
      const report = once(child, 'message');
      child.send('stop');
      const [{ answers: served, ...others }] = await report;
      return { served, rejected: 0, others };
    },
  };
}

/** Calls `Check` over one connection, with a pause after each answer. */
async function serialChecks(port: number, { secret }: Key): Promise<Load> {
  const headers = [['authorization', `Bearer ${secret}`]] as const;
  const message = encodedCheck(checkRequest({ headers }));
  const session = connect(`http://127.0.0.1:${port}`);
  const latencies: number[] = [];
  const others: Record<string, number> = {};
  const startedAt = performance.now();
  let stopping = false;
  const call = async () => {
    const stream = session.request({
      ':method': 'POST',
      ':path': checkPath,
      'content-type': 'application/grpc',
      authorization: `Bearer ${token}`,
      te: 'trailers',
    });
    stream.end(Buffer.concat([Buffer.alloc(1), length(message), message]));
    return await buffer(stream);
  };
  const loop = async () => {
    while (!stopping) {
      const calledAt = performance.now();
      const answer = await call().catch(() => Buffer.alloc(0));
      if (answer.includes('x-latchkey-key-id')) latencies.push(performance.now() - calledAt);
      else others.failed = (others.failed ?? 0) + 1;
      await pause(pauseMs);
    }
  };
  session.on('error', () => undefined);
  const ended = loop();
  return {
    stop: async () => {
      stopping = true;
      await ended;
      session.destroy();
      return {
        seconds: (performance.now() - startedAt) / 1000,
        served: latencies.length,
        rejected: 0,
        others,
        p50Ms: percentile(latencies, 0.5),
        p99Ms: percentile(latencies, 0.99),
        maxMs: percentile(latencies, 1),
        ownDelayP99Ms: Number.NaN,
      };
    },
  };
}

function length({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

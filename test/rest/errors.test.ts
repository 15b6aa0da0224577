import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Calls } from '../../src/admission/calls.ts';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { maxCost } from '../../src/graphql/operation-limits.ts';
import { startGraphQL } from '../../src/graphql/server.ts';
import { sendRestError } from '../../src/http/errors.ts';
import { requestLog } from '../../src/http/request-log.ts';
import { OperationCounters } from '../../src/metrics/operation-counters.ts';
import { RequestCounters } from '../../src/metrics/request-counters.ts';
import { restRouter } from '../../src/rest/handler.ts';
import { listen, send, stopListening } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { callerOf, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));

/** Revokes a key over REST while the store fails. Returns the response and what was logged besides the request. */
async function revokeWhileReadingThrows(error: Error) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  const { management } = running.service;
  const { keys } = management.store;
  const { find } = keys;
  keys.find = () => Promise.reject(error);
  const { server: apollo, runner } = await startGraphQL(log, new OperationCounters());
  const calls = new Calls({
    maxCalls: 1,
    maxCost,
    counters: new RequestCounters('management'),
    report: () => undefined,
  });
  const app = express();
  app.use(requestLog(log), (_, response, next) => {
    const caller = callerOf({});
    response.locals.caller = caller;
    response.locals.call = calls.enter(caller, true);
    next();
  });
  app.use(restRouter(runner, management), sendRestError);
  const server = createServer(app);
  const response = await send(await listen(server), { method: 'DELETE', path: `/v1/keys/${randomUUID()}` });
  keys.find = find;
  await stopListening(server);
  await apollo.stop();
  return { ...response, body: JSON.parse(response.body), lines: lines.filter(({ msg }) => msg !== 'request errored') };
}

it('an unexpected error is masked, and logged once, with the request id that the caller gets', async () => {
  const { status, headers, body, lines } = await revokeWhileReadingThrows(new Error('the internals'));
  const requestId = headers['x-request-id'];
  expect(status).toBe(500);
  expect(body).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', detail: 'Something went wrong on our side.', requestId });
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'request failed',
      requestId,
      err: expect.objectContaining({ message: 'the internals' }),
    }),
  ]);
});

it('every property of an error reaches the caller, and its cause only the log, once', async () => {
  const keyId = randomUUID();
  const error = new LatchkeyError('UNAVAILABLE', 'The store is away.', {
    cause: new Error('the internals'),
    fields: [{ field: 'name', message: 'is wrong' }],
    keyId,
    retryAfterSeconds: 7,
  });
  const { status, headers, body, lines } = await revokeWhileReadingThrows(error);
  const requestId = headers['x-request-id'];
  expect([status, headers['retry-after']]).toEqual([503, '7']);
  expect(body).toEqual({
    type: '/errors#UNAVAILABLE',
    title: 'The service is not available right now',
    status: 503,
    detail: 'The store is away.',
    code: 'UNAVAILABLE',
    requestId,
    errors: [{ field: 'name', message: 'is wrong' }],
    keyId,
  });
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'request rejected',
      requestId,
      err: expect.objectContaining({ message: 'the internals' }),
    }),
  ]);
});

// SECURITY.md: A key
/** The middleware of the TypeScript client decides as the vectors say, in Express and with the Fetch API. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as forExpress from '../../src/client/express.ts';
import * as forFetch from '../../src/client/fetch.ts';
import { VerifierRejectedError, type VerifierUnavailableError } from '../../src/client/verdict.ts';
import { listen, stopListening } from '../support/gateway.ts';
import { type StandIn, startStandIn } from '../support/stand-in-verifier.ts';
import { giveAnswer } from './answers.ts';
import { type VectorOptions, type VectorRequest, verdictVectors } from './vectors.ts';

const { call, cases, key, problemHeaders, problems, request: usualRequest } = verdictVectors;

let standIn: StandIn;
beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(() => standIn.close());

/** A response, and the key of a request that passed. */
interface Outcome {
  readonly key?: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Options extends VectorOptions {
  readonly verifyUrl: string;
  readonly timeoutMs: number;
  readonly onVerifierError: (error: VerifierUnavailableError | VerifierRejectedError) => void;
}

async function behindExpress(options: Options, sent: VectorRequest): Promise<Outcome> {
  const app = express().use(forExpress.requireApiKey(options), ({ apiKey }, response) => {
    response.json(apiKey);
  });
  const server = createServer(app);
  const headers = sent.headers.flat();
  const outgoing = request(await listen(server), { method: sent.method, path: sent.target, headers, agent: false });
  outgoing.end(sent.body);
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  if (response === undefined) throw new Error('there is no response');
  const { statusCode: status = 0, headersDistinct } = response;
  const body = await text(response);
  await stopListening(server);
  const fields = Object.entries(headersDistinct).map(([name, lines = []]) => [name, lines.join(', ')]);
  return {
    status,
    headers: Object.fromEntries(fields),
    body,
    ...(status === 200 ? { key: JSON.parse(body) } : {}),
  };
}

async function withFetch(options: Options, { method, target, headers, body }: VectorRequest): Promise<Outcome> {
  const fields = new Headers(headers.map(([name, value]) => [name, value]));
  const received = new Request(`http://${fields.get('host')}${target}`, {
    method,
    headers: fields,
    body: body ?? null,
  });
  const outcome = await forFetch.requireApiKey(options)(received, { sourceIp: '127.0.0.1' });
  if (!(outcome instanceof Response)) {
    return { key: outcome, status: 200, headers: forFetch.rateLimitHeaders(outcome), body: '' };
  }
  return { status: outcome.status, headers: Object.fromEntries(outcome.headers), body: await outcome.text() };
}

const sentFields = [
  'content-type',
  'cache-control',
  'www-authenticate',
  'retry-after',
  'ratelimit-policy',
  'ratelimit',
];

describe.each([
  { framework: 'Express', receive: behindExpress, joinsFields: false },
  { framework: 'the Fetch API', receive: withFetch, joinsFields: true },
])('$framework', ({ receive, joinsFields }) => {
  const names = (sent = usualRequest) => sent.headers.map(([name]) => name.toLowerCase());
  const runnable = cases.filter(
    ({ input }) => !joinsFields || new Set(names(input.request)).size === names(input.request).length,
  );

  test.each(runnable)('the decision of a vector: $name', async ({ input, expected }) => {
    const errors: (VerifierUnavailableError | VerifierRejectedError)[] = [];
    const options = {
      ...input.options,
      verifyUrl: await giveAnswer(standIn, input.answer),
      // The call must arrive before a timeout ends it.
      timeoutMs: input.answer.fault === 'silent' ? 1_000 : 20_000,
      onVerifierError: (error: VerifierUnavailableError | VerifierRejectedError) => errors.push(error),
    };
    const outcome = await receive(options, input.request ?? usualRequest);

    const calls = standIn.calls.map(({ asked: { sourceIp: _, ...asked } }) => asked);
    const isCalled = expected.call !== null && input.answer.fault !== 'refuses';
    expect(calls).toEqual(isCalled ? [{ ...call, ...expected.call }] : []);
    expect(errors.map(described)).toEqual(expected.error === undefined ? [] : [expected.error]);
    const headers = Object.fromEntries(sentFields.map((name) => [name, outcome.headers[name]]));
    const { problem } = expected;
    if (problem === undefined) {
      expect(outcome.key).toEqual({ ...key, ...expected.key });
      expect(headers).toMatchObject({ 'retry-after': undefined, 'www-authenticate': undefined });
      const { 'ratelimit-policy': policy, ratelimit } = headers;
      const limit = Object.fromEntries(
        Object.entries({ 'ratelimit-policy': policy, ratelimit }).filter(([, value]) => value !== undefined),
      );
      expect(limit).toEqual(expected.headers ?? {});
      return;
    }
    const { code, ...changed } = problem;
    expect(JSON.parse(outcome.body)).toEqual({ ...problems[code], ...changed });
    expect(outcome.status).toBe(problems[code].status);
    expect(headers).toEqual({ ...problemHeaders, ...expected.headers });
    for (const told of [outcome.body, ...errors.map(String)]) expect(told).not.toContain(call.key);
  });
});

/** Describes an error as the vectors do. */
function described(error: VerifierUnavailableError | VerifierRejectedError): object {
  const { status } = error;
  if (error instanceof VerifierRejectedError) return { kind: 'rejected', status };
  const members = Object.entries({ status, retryAfterSeconds: error.retryAfterSeconds });
  return { kind: 'unavailable', ...Object.fromEntries(members.filter(([, value]) => value !== null)) };
}

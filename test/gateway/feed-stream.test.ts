/** `POST /v1/feed/stream`: the same answers as `POST /v1/feed`, one line for each, and nothing that one client could abuse. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EdgeFeed } from '../../src/verify/edge-feed.ts';
import type { FeedAnswer } from '../../src/wire/feed-messages.ts';
import { theProvider } from '../support/databases.ts';
import { sharedGateway } from '../support/gateway.ts';

const edge = randomUUID();
const ndjson = { 'content-type': 'application/x-ndjson' };
const gateway = sharedGateway(theProvider);

interface Stream {
  readonly sent: ClientRequest;
  readonly response: Promise<IncomingMessage>;
  /** The next line of the response; undefined after the last one. */
  readonly next: () => Promise<string | undefined>;
  readonly ask: (keys: readonly string[], cursor?: string | null) => Promise<FeedAnswer>;
}

const open: ClientRequest[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const sent of open.splice(0)) sent.destroy();
});

function openStream(headers: object = {}): Stream {
  const options = { method: 'POST', agent: false, headers: { ...ndjson, ...headers } };
  const sent = request(`${gateway.url}/v1/feed/stream`, options);
  open.push(sent);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  response.catch(() => undefined);
  const lines = response.then((message) =>
    createInterface({ input: message.on('error', () => undefined) })[Symbol.asyncIterator](),
  );
  lines.catch(() => undefined);
  const next = async () => (await (await lines).next()).value;
  return {
    sent,
    response,
    next,
    ask: async (keys, cursor = null) => {
      sent.write(`${JSON.stringify({ edge, cursor, keys })}\n`);
      return JSON.parse((await next()) ?? expect.fail('there is no answer'));
    },
  };
}

const question = (keys: readonly string[] = []) => `${JSON.stringify({ edge, cursor: null, keys })}\n`;
const problemOf = async ({ response }: Stream) => {
  const message = await response;
  let text = '';
  for await (const part of message.setEncoding('utf8')) text += part;
  return { status: message.statusCode, body: JSON.parse(text) };
};

describe('a stream', () => {
  it('each line gets the answer that a single request gets, from a state as new as its arrival', async () => {
    const [one, two] = [await gateway.issue(), await gateway.issue()];
    const stream = openStream();
    const first = await stream.ask([one.secret, two.secret, 'x y']);
    const headers = { 'content-type': 'application/json' };
    const body = question([one.secret, two.secret, 'x y']);
    const single = await fetch(`${gateway.url}/v1/feed`, { method: 'POST', headers, body });
    expect(first).toEqual(await single.json());
    let { cursor } = first;
    for (const { id } of [one, two]) {
      await gateway.revoke(id);
      const answer = await stream.ask([], cursor);
      expect(answer).toMatchObject({ clear: false, changed: [id], keys: [] });
      cursor = answer.cursor;
    }
    expect((await stream.response).headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    stream.sent.end();
    expect(await stream.next()).toBeUndefined();
  });

  it('lines may arrive in parts, and the last one without a line break', async () => {
    const { secret } = await gateway.issue();
    const stream = openStream();
    const text = question([secret]) + question().trimEnd();
    const [start, end] = [text.slice(0, 30), text.slice(30)];
    stream.sent.write(start);
    await new Promise((resolve) => setImmediate(resolve));
    stream.sent.write(end.slice(0, end.indexOf('\n') + 1));
    expect(JSON.parse((await stream.next()) ?? '').keys).toMatchObject([{ revoked: false }]);
    stream.sent.end(end.slice(end.indexOf('\n') + 1));
    expect(JSON.parse((await stream.next()) ?? '').keys).toEqual([]);
    expect(await stream.next()).toBeUndefined();
  });

  it('without a line it is an empty response', async () => {
    const stream = openStream();
    stream.sent.end();
    expect(await stream.next()).toBeUndefined();
    expect((await stream.response).statusCode).toBe(200);
  });

  it.each([
    ['no JSON', '{\n', 400, 'BAD_USER_INPUT'],
    ['no question', '{}\n', 400, 'BAD_USER_INPUT'],
    ['no UTF-8', Buffer.from([0xff, 0x0a]), 400, 'BAD_USER_INPUT'],
    ['too long', `${' '.repeat(300_000)}\n`, 413, 'PAYLOAD_TOO_LARGE'],
    ['two questions at once', question() + question(), 400, 'BAD_USER_INPUT'],
  ])('a first line that is %s gets a problem', async (_, text, status, code) => {
    const stream = openStream();
    stream.sent.write(text);
    expect(await problemOf(stream)).toMatchObject({ status, body: { code } });
  });

  it.each([
    ['no JSON', '{\n'],
    ['too long', 'x'.repeat(300_000)],
    ['sent before the answer to the one before', question() + question()],
  ])('a later line that is %s closes the connection, and the service goes on', async (_, text) => {
    const stream = openStream();
    await stream.ask([]);
    const { socket } = await stream.response;
    stream.sent.on('error', () => undefined).write(text);
    await expect.poll(() => socket.destroyed).toBe(true);
    expect(await openStream().ask([])).toMatchObject({ keys: [] });
  });

  it('a store that does not answer is a problem for the first request, and ends the stream for a later one', async () => {
    const ask = vi.spyOn(EdgeFeed.prototype, 'handle');
    const fails = () => ask.mockRejectedValueOnce(new Error('gone'));
    fails();
    const first = openStream();
    first.sent.write(question());
    expect(await problemOf(first)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    const second = openStream();
    await second.ask([]);
    fails();
    const { socket } = await second.response;
    second.sent.on('error', () => undefined).write(question());
    await expect.poll(() => socket.destroyed).toBe(true);
  });

  it('a client that does not read its answers is disconnected before more of them take memory', async () => {
    const ask = vi.spyOn(EdgeFeed.prototype, 'handle');
    // More than the buffers of a connection hold.
    ask.mockResolvedValue('x'.repeat(20_000_000));
    const arrived = once(gateway.running.service.gateway, 'request');
    const sent = request(`${gateway.url}/v1/feed/stream`, { method: 'POST', agent: false, headers: ndjson });
    open.push(sent.on('error', () => undefined));
    sent.on('response', (response) => response.on('error', () => undefined).pause()).write(question());
    const [{ socket }] = await arrived;
    await expect.poll(() => ask.mock.calls.length).toBe(1);
    sent.write(question());
    await expect.poll(() => socket.destroyed).toBe(true);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('a client that goes away while its request is pending does no harm', async () => {
    const ask = vi.spyOn(EdgeFeed.prototype, 'handle');
    let answer: (text: string) => void = () => undefined;
    ask.mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const stream = openStream();
    stream.sent.on('error', () => undefined).write(question());
    await expect.poll(() => ask.mock.calls.length).toBe(1);
    stream.sent.destroy();
    await openStream().ask([]);
    answer('{}');
    expect(await openStream().ask([])).toMatchObject({ keys: [] });
  });

  it.each(['application/json', 'text/plain', ''])('is not taken as %o, which a web page could send', async (type) => {
    const stream = openStream({ 'content-type': type });
    stream.sent.write(question());
    expect(await problemOf(stream)).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });
});

/** The receivers of docs/tasks/webhooks.md, as processes between Latchkey and what they hand events over to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { EventKey, LatchkeyEvent } from '../../src/domain/event/event.ts';
import type { EventAction } from '../../src/domain/event/event-types.ts';
import { mintWebhookSecret, verificationKeyOf, webhookHeaders } from '../../src/domain/webhook/signature.ts';
import { freePort } from '../support/free-port.ts';
import { listen, send, stopListening } from '../support/gateway.ts';
import { sampleEvent } from '../support/sample-events.ts';

const secret = mintWebhookSecret('V1', randomBytes);
const key: EventKey = {
  id: randomUUID(),
  name: 'Nightly <!channel> & "co"',
  env: 'live',
  prefix: 'lk_live_AbCdEfGh',
  responsible: 'ada',
};
let revision = 1n;
const expiring = () => {
  const details = { expiresAt: '2030-01-31T12:00:00.000Z', days: 7 };
  return sampleEvent('KEY_EXPIRING', { revision: revision++, actor: 'latchkey', details }, key);
};

interface Attempt {
  readonly secrets?: Parameters<typeof webhookHeaders>[1];
  readonly ageSeconds?: number;
}

/** Starts a receiver, which ends with the tests of the block. Returns a function that posts as Latchkey does. */
function startReceiver(file: string, environment: () => NodeJS.ProcessEnv) {
  let child: ChildProcess | undefined;
  let url = '';
  beforeAll(async () => {
    const PORT = String(await freePort());
    url = `http://127.0.0.1:${PORT}`;
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: verificationKeyOf(secret), PORT, ...environment() };
    const started = spawn('node', [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    let errors = '';
    started.stderr.on('data', (part) => {
      errors += part;
    });
    const [line] = await Promise.race([once(started.stdout, 'data'), once(started, 'close')]);
    if (String(line) !== 'ready\n') throw new Error(`${file} did not start: ${errors}`);
  });
  afterAll(() => void child?.kill('SIGKILL'));
  const post = async (event: LatchkeyEvent, { secrets = [secret], ageSeconds = 0 }: Attempt = {}): Promise<number> => {
    const body = JSON.stringify(event);
    const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
    const headers = { 'content-length': Buffer.byteLength(body) };
    const signed = webhookHeaders({ id: event.id, timestampSeconds, body }, secrets);
    return (await send(url, { method: 'POST', headers: { ...headers, ...signed }, body, elsewhere: true })).status;
  };
  const postUnsigned = async (headers: Record<string, string | number>, body: string): Promise<number> =>
    (await send(url, { method: 'POST', headers, body, elsewhere: true })).status;
  return { post, postUnsigned };
}

/** What a receiver must never hand over. */
function rejectsForeignRequests(
  { post, postUnsigned }: ReturnType<typeof startReceiver>,
  received: readonly unknown[],
) {
  it('rejects a request that Latchkey has not signed, one that was recorded, and one that is too long', async () => {
    expect(await post(expiring(), { secrets: [mintWebhookSecret('V1', randomBytes)] })).toBe(401);
    expect(await post(expiring(), { ageSeconds: 400 })).toBe(401);
    const body = JSON.stringify(expiring());
    expect(await postUnsigned({ 'content-length': body.length }, body)).toBe(401);
    expect(await postUnsigned({ 'content-length': 20_000 }, 'x'.repeat(20_000))).toBe(413);
    expect(await postUnsigned({ 'transfer-encoding': 'chunked' }, body)).toBe(413);
    expect(received).toEqual([]);
  });

  it('accepts an event during the overlap of two secrets', async () => {
    expect(await post(expiring(), { secrets: [mintWebhookSecret('V1', randomBytes), secret] })).toBe(204);
    expect(received).toHaveLength(1);
  });
}

describe('the receiver for mail', () => {
  const mails: string[] = [];
  let isUp = true;
  const sink = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, callback) => callback(isUp ? null : new Error('try again later')),
    onData: (stream, _session, callback) => {
      void text(stream).then((mail) => callback(null, String(mails.push(mail))), callback);
    },
  });
  let SMTP_URL = '';
  beforeAll(async () => {
    SMTP_URL = (await listen(sink.server)).replace('http', 'smtp');
  });
  afterAll(() => new Promise<void>((resolve) => sink.close(resolve)));
  const addresses = { MAIL_FROM: 'latchkey@example.com', MAIL_TO: 'team@example.com' };
  const receiver = startReceiver('examples/events/mail.mjs', () => ({ SMTP_URL, ...addresses }));
  beforeEach(() => {
    mails.length = 0;
    isUp = true;
  });

  it('mails which key expires, when, and what to do', async () => {
    const event = expiring();
    expect(await receiver.post(event)).toBe(204);
    const [mail = '', ...others] = mails;
    expect(others).toEqual([]);
    const line = 'Key "Nightly <!channel> & "co"" (lk_live_AbCdEfGh) expires on 2030-01-31.';
    const whole = `${line} Extend it, or replace it with a new key.`;
    expect(readable(mail)).toContain(`Subject: ${whole}\r\n`);
    expect(readable(mail)).toContain(`\r\n\r\n${whole}\r\n`);
    expect(readable(mail)).toContain('From: latchkey@example.com\r\nTo: team@example.com\r\n');
    expect(readable(mail)).toContain(`Message-ID: <${event.id}@latchkey>\r\n`);
  });

  it('mails events of every type, also about a purged key or no key, and without advice of its own', async () => {
    const sample = (action: EventAction, key?: null) =>
      sampleEvent(action, { revision: revision++, teamId: 'of ours', keyId: 'an id' }, key);
    const withAdvice = [sample('KEY_EXPIRED'), sample('KEY_UNUSED'), sample('KEY_EXPOSED')];
    for (const event of [...withAdvice, sample('WEBHOOK_TESTED'), sample('KEY_REVOKED', null)]) {
      expect(await receiver.post(event)).toBe(204);
    }
    const subjects = mails.map((mail) => /^Subject: (.*)\r$/m.exec(readable(mail))?.[1]);
    expect(subjects).toEqual([
      'Key "CI" (lk_live_AbCdEfGh) expired on 2026-06-05. Create a new key if it is still needed.',
      'Key "CI" (lk_live_AbCdEfGh) was not used for 30 days. Revoke it if nobody needs it.',
      'Key "CI" (lk_live_AbCdEfGh) was found at a text. Rotate it, and remove it there.',
      'Team of ours has a new event: webhook.tested.',
      'Key "purged" (an id) has a new event: key.revoked.',
    ]);
  });

  it('answers a failure while the mail server takes no mail, so that Latchkey tries again', async () => {
    isUp = false;
    const event = expiring();
    expect(await receiver.post(event)).toBe(503);
    isUp = true;
    expect(await receiver.post(event)).toBe(204);
    expect(mails).toHaveLength(1);
  });

  rejectsForeignRequests(receiver, mails);
});

describe('the receiver for Slack', () => {
  const messages: unknown[] = [];
  let status = 200;
  const slack = createServer((request, response) => {
    void text(request).then((body) => {
      if (status === 200) messages.push(JSON.parse(body));
      response.writeHead(status).end('ok');
    });
  });
  let SLACK_URL = '';
  beforeAll(async () => {
    SLACK_URL = `${await listen(slack)}/services/T0/B0/x`;
  });
  afterAll(() => stopListening(slack));
  const receiver = startReceiver('examples/events/slack.mjs', () => ({ SLACK_URL }));
  beforeEach(() => {
    messages.length = 0;
    status = 200;
  });

  it('posts what happened to which key, and by whom, and mentions nobody', async () => {
    expect(await receiver.post(expiring())).toBe(204);
    expect(await receiver.post(sampleEvent('WEBHOOK_TESTED', { revision: revision++, teamId: 'a team' }))).toBe(204);
    expect(messages).toEqual([
      {
        text: 'key.expiring: "Nightly &lt;!channel&gt; &amp; "co"" (lk_live_AbCdEfGh), by latchkey, 2030-01-31',
      },
      { text: 'webhook.tested: team a team, by alice' },
    ]);
  });

  it.each([429, 500])('answers a failure if Slack answers %i, and posts each event once', async (rejected) => {
    status = rejected;
    const event = expiring();
    expect(await receiver.post(event)).toBe(503);
    status = 200;
    expect([await receiver.post(event), await receiver.post(event)]).toEqual([204, 204]);
    expect(messages).toHaveLength(1);
  });

  rejectsForeignRequests(receiver, messages);
});

test.each(['mail', 'slack'])('%s.mjs has at most 30 lines, as docs/tasks/webhooks.md says', (name) => {
  const program = readFileSync(`examples/events/${name}.mjs`, 'utf8');
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

/** Joins what a mail folds, and decodes what it encodes as quoted-printable (RFC 2045 and 2047). */
function readable(mail: string): string {
  const decoded = (text: string) =>
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return mail
    .replaceAll(/\?=\r\n =\?UTF-8\?Q\?/g, '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, text) => decoded(text.replaceAll('_', ' ')))
    .replaceAll('=\r\n', '')
    .replaceAll(/\r\n[ \t]/g, ' ');
}

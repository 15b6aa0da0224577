// Posts each event of a webhook to a channel of Slack.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { WEBHOOK_SECRET, SLACK_URL, PORT = 3000 } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const posted = new Set(); // the ids of the last events
const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }; // names could mention people otherwise

createServer(async (request, response) => {
  try {
    if (!(request.headers['content-length'] < 20_000)) return response.writeHead(413).end();
    const { id, type, data } = webhook.verify(await text(request), request.headers);
    const key = data.key ? `"${data.key.name ?? 'purged'}" (${data.key.prefix ?? data.key.id})` : `team ${data.teamId}`;
    const moment = data.expiresAt ?? data.endsAt;
    const line = `${type}: ${key}, by ${data.actor}${moment ? `, ${moment.slice(0, 10)}` : ''}`;
    const body = JSON.stringify({ text: line.replace(/[&<>]/g, (character) => escapes[character]) });
    const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    const answer = posted.has(id) || (await fetch(SLACK_URL, { ...post, signal: AbortSignal.timeout(8000) })).ok;
    if (!answer) throw new Error('Slack did not accept the message');
    if (posted.add(id).size > 1000) posted.delete(posted.values().next().value);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 503).end(); // Latchkey will try again
  }
}).listen(PORT, '127.0.0.1', () => console.log('ready'));

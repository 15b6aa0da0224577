// Mails each event of a webhook, with what to do about it.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { WEBHOOK_SECRET, SMTP_URL, MAIL_FROM: from, MAIL_TO: to, PORT = 3000 } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const smtp = createTransport({ url: SMTP_URL, connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 8000 });
const advice = {
  'key.expiring': ({ expiresAt }) => `expires on ${expiresAt.slice(0, 10)}. Extend it, or replace it with a new key.`,
  'key.expired': ({ expiresAt }) => `expired on ${expiresAt.slice(0, 10)}. Create a new key if it is still needed.`,
  'key.unused': ({ days }) => `was not used for ${days} days. Revoke it if nobody needs it.`,
  'key.exposed': ({ leak }) => `was found at ${leak.url ?? leak.source ?? 'a place'}. Rotate it, and remove it there.`,
};

createServer(async (request, response) => {
  try {
    if (!(request.headers['content-length'] < 20_000)) return response.writeHead(413).end();
    const { id, type, data } = webhook.verify(await text(request), request.headers);
    const { id: keyId, name, prefix } = data.key ?? {};
    const key = keyId ? `Key "${name ?? 'purged'}" (${prefix ?? keyId})` : `Team ${data.teamId}`;
    const line = `${key} ${advice[type]?.(data) ?? `has a new event: ${type}.`}`;
    await smtp.sendMail({ from, to, subject: line, text: line, messageId: `<${id}@latchkey>` }); // programs drop repeated ids
    response.writeHead(204).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 503).end(); // Latchkey will try again
  }
}).listen(PORT, '127.0.0.1', () => console.log('ready'));

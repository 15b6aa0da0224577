// An Express API that verifies keys in its own process. A revoked key is rejected from the next request on.
import { createLocalVerifier } from '@latchkey/client';
import { requireApiKey } from '@latchkey/client/express';
import express from 'express';

const verifier = createLocalVerifier({
  url: process.env.LATCHKEY_VERIFY_URL ?? 'http://127.0.0.1:4001',
  token: process.env.LATCHKEY_FEED_TOKEN, // on another machine, one of the FEED_TOKENS
});

const app = express(); // behind a proxy, set 'trust proxy' to the proxies whose X-Forwarded-For is trusted
app.use(requireApiKey({ verifier, env: 'live' })); // before body parsers
app.get('/', (request, response) => {
  response.json({ message: `Hello, ${request.apiKey?.name}`, keyId: request.apiKey?.keyId });
});

const server = app.listen(Number(process.env.API_PORT ?? 3000), '127.0.0.1', () => console.log('ready'));
process.once('SIGTERM', () => {
  server.close(() => verifier.close()); // reports the remaining use of keys
});

/** An Express API: unprotected, with the local verifier, or with the middleware that asks over HTTP. */
import express from 'express';
import { requireApiKey } from '../../../src/client/express.ts';
import { createLocalVerifier } from '../../../src/client/local-verifier.ts';

const [port = '', protection = '', verifyUrl = ''] = process.argv.slice(2);
const app = express();
if (protection === 'local') app.use(requireApiKey({ verifier: createLocalVerifier({ url: verifyUrl }) }));
if (protection === 'http') app.use(requireApiKey({ verifyUrl }));
app.get('/', (_, response) => {
  response.json({ message: 'Hello' });
});
app.listen(Number(port), '127.0.0.1', () => console.log('ready'));

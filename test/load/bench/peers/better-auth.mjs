// An Express API whose keys Better Auth verifies, with its fastest storage: the memory of this process.
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import express from 'express';

const [port] = process.argv.slice(2);
const auth = betterAuth({
  secret: 'a secret for benchmarks, of at least 32 bytes',
  baseURL: `http://127.0.0.1:${port}`,
  database: memoryAdapter({ user: [], session: [], account: [], verification: [], apikey: [] }),
  telemetry: { enabled: false },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
});
const { internalAdapter } = await auth.$context;
const { id: userId } = await internalAdapter.createUser({ email: 'bench@example.com', name: 'B', emailVerified: true });
const { key } = await auth.api.createApiKey({ body: { userId, name: 'Bench' } });

const app = express();
app.use(async (request, response, next) => {
  const presented = request.headers.authorization?.replace(/^Bearer /, '');
  const { valid } = await auth.api.verifyApiKey({ body: { key: presented ?? '' } });
  if (valid) next();
  else response.status(401).end();
});
app.get('/', (_, response) => {
  response.json({ message: 'Hello' });
});
app.listen(Number(port), '127.0.0.1', () => console.log(key));

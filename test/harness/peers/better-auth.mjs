/**
 * An Express API whose keys Better Auth verifies, and creates, disables and revokes. It has its fastest storage, the memory of
 * this process; with the URL of a Redis, keys are in that (`secondary-storage`), as its documentation shows. Prints a key.
 */
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import express from 'express';
import { createClient } from 'redis';

const [port, redisUrl] = process.argv.slice(2);
const redis = redisUrl === undefined ? null : await createClient({ url: redisUrl }).connect();
const secondaryStorage = redis && {
  get: (key) => redis.get(key),
  set: (key, value, ttl) => redis.set(key, value, ttl ? { EX: ttl } : {}),
  delete: (key) => redis.del(key),
};
const auth = betterAuth({
  secret: 'a secret for benchmarks, of at least 32 bytes',
  baseURL: `http://127.0.0.1:${port}`,
  database: memoryAdapter({ user: [], session: [], account: [], verification: [], apikey: [] }),
  ...(secondaryStorage && { secondaryStorage }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  telemetry: { enabled: false },
  plugins: [apiKey({ rateLimit: { enabled: false }, ...(redis && { storage: 'secondary-storage' }) })],
});
const account = { email: `${Date.now()}@example.com`, name: 'B', password: 'a password for benchmarks' };
const signedUp = await auth.api.signUpEmail({ body: account, asResponse: true });
const userId = (await signedUp.json()).user.id;
const cookie = signedUp.headers.getSetCookie().map((line) => line.split(';')[0]);
const headers = new Headers({ cookie: cookie.join('; ') });
const { key } = await auth.api.createApiKey({ body: { userId, name: 'Bench' } });

const app = express();
const management = express.Router();
const setEnabled = (enabled) => async (request, response) => {
  await auth.api.updateApiKey({ body: { keyId: request.params.id, userId, enabled } });
  response.json({ ok: true });
};
management.post('/', async (_, response) => {
  const created = await auth.api.createApiKey({ body: { userId, name: 'Recorded' } });
  response.status(201).json({ id: created.id, key: created.key });
});
management.post('/:id/disable', setEnabled(false));
management.post('/:id/enable', setEnabled(true));
management.delete('/:id', async (request, response) => {
  await auth.api.deleteApiKey({ body: { keyId: request.params.id }, headers });
  response.json({ ok: true });
});
app.use('/keys', management);
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

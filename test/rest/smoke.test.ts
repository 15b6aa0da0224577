import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { providers } from '../support/databases.ts';
import { both, rest, sessionToken, startService } from '../support/service.ts';

describe.each(providers)('on %s', (provider) => {
  it('creates', async () => {
    const running = await startService(provider);
    const team = randomUUID();
    const token = sessionToken({ [team]: both });
    const a = await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' });
    expect(a.body).toMatchObject({ name: 'x' });
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: `x${i}`, env: 'live' }),
      ),
    );
    expect(many.every((m) => m.status === 201)).toBe(true);
    expect((await rest(running.url, token, 'GET', `/v1/keys?teamId=${team}`)).body.length).toBe(51);
    await running.stop();
  });
});

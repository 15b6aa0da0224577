// SECURITY.md: A copy of the database
/** A copy of the database contains nothing that gives access. */
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { providers } from '../support/databases.ts';
import { listen, stopListening } from '../support/gateway.ts';
import { both, jwtSecret, rest, sessionToken, startService } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

/** Every byte of the database's files, as a character each, or every row of every table. */
async function dump({ url, directory }: TemporaryDatabase): Promise<string> {
  if (url.startsWith('file:')) {
    const files = readdirSync(directory).filter((name) => name.startsWith('latchkey.db'));
    return files.map((name) => readFileSync(join(directory, name), 'latin1')).join('\n');
  }
  const tables = "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'";
  const parts: unknown[] = [];
  for (const { name } of await runSql(url, tables)) {
    parts.push(...(await runSql(url, `SELECT t::text AS row FROM ${name} t`)).map(({ row }) => row));
  }
  return parts.join('\n');
}

/** A text and its bytes in the ways that they are commonly written. */
function spellings(text: string, bytes = Buffer.from(text)): string[] {
  const encoded = (['hex', 'base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding));
  return [text, bytes.toString('latin1'), ...encoded, (encoded[0] ?? '').toUpperCase()];
}

describe.each(providers)('on %s', (provider) => {
  it('a dump holds no secret, signing secret or session token, and no digest that can be checked without the pepper', async () => {
    const { service, url, database, stop } = await startService(provider);
    const verifyUrl = await listen(service.gateway);
    const team = randomUUID();
    const token = sessionToken({ [team]: both });
    // With any content.
    const idempotencyKey = randomUUID();
    const call = async (method: string, path: string, body?: unknown) =>
      (await rest(url, token, method, `/v1/keys${path}`, body, { 'idempotency-key': idempotencyKey })).body;

    const { id, secret, prefix } = await call('POST', '', { teamId: team, name: 'A key', env: 'live' });
    const signingSecrets = [(await call('POST', `/${id}/signing/enable`)).signingSecret];
    signingSecrets.push((await call('POST', `/${id}/signing/rotate`)).signingSecret);
    const request = { method: 'GET', url: 'https://api.example.com/' };
    const headers = {
      host: 'api.example.com',
      ...signRequest(request, { keyId: id, signingSecret: signingSecrets[1] }),
    };
    const body = { key: secret, request: { ...request, headers } };
    expect((await rest(verifyUrl, null, 'POST', '/v1/verify', body)).body.code).toBe('VALID');
    await call('PATCH', `/${id}`, { name: 'Renamed', allowedIps: ['192.0.2.1'] });

    const { peppers, signingKeks } = service.management;
    const hidden = [
      ...spellings(secret),
      ...spellings(secret.slice(prefix.length + 1)),
      ...['sha1', 'sha256', 'sha512'].flatMap((hash) =>
        spellings('', createHash(hash).update(secret).digest()).slice(1),
      ),
      ...signingSecrets.flatMap((text: string) => [...spellings(text), ...spellings(text, Buffer.from(text, 'hex'))]),
      ...[peppers, signingKeks].flatMap((ring) => spellings('', Buffer.from(ring.current.bytes)).slice(1)),
      ...spellings(jwtSecret),
      token,
      ...spellings(idempotencyKey),
    ];
    await stopListening(service.gateway);
    const dumped = await dump(database);
    // It is a dump of this very key.
    expect(dumped.includes(prefix)).toBe(true);
    expect(dumped.includes('Renamed')).toBe(true);
    expect(hidden.filter((text) => dumped.includes(text))).toEqual([]);
    await stop();
  });
});

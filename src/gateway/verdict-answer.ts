/** How a verdict is answered: in the body to `/v1/verify`, in status and headers to `/v1/authorize`. */
import type { ServerResponse } from 'node:http';
import type { VerdictCode } from '../domain/verdict-code.ts';
import type { Outcome } from '../verify/verifier.ts';

const forbidden: ReadonlySet<VerdictCode> = new Set(['WRONG_ENVIRONMENT', 'SOURCE_NOT_ALLOWED']);

export function sendVerdict(response: ServerResponse, { code, key }: Outcome): void {
  const described = key === null ? noKey : key.described;
  const body = `{"valid":${code === 'VALID'},"code":"${code}",${described}`;
  response.writeHead(200, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}

const noKey = '"keyId":null,"teamId":null,"name":null,"env":null,"prefix":null,"expiresAt":null}';

export function sendPermission(response: ServerResponse, { code, key }: Outcome): void {
  if (code === 'VALID' && key !== null) {
    response.writeHead(200, [
      'x-latchkey-code',
      code,
      'x-latchkey-key-id',
      key.id,
      'x-latchkey-team-id',
      key.teamId,
      'x-latchkey-env',
      key.env,
      'content-length',
      '0',
    ]);
  } else if (forbidden.has(code)) {
    response.writeHead(403, ['x-latchkey-code', code, 'content-length', '0']);
  } else {
    response.writeHead(401, ['x-latchkey-code', code, 'www-authenticate', 'Bearer', 'content-length', '0']);
  }
  response.end();
}

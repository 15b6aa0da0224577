/** The page that `type` in problem documents links to, on both ports. */
import { beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../src/domain/errors.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { send, sharedGateway } from '../support/gateway.ts';

const gateway = sharedGateway('sqlite');
const portUrl = (port: string) => (port === 'management' ? gateway.running.url : gateway.url);

describe.each(['management', 'verification'])('on the %s port', (port) => {
  let page: Awaited<ReturnType<typeof send>>;
  beforeAll(async () => {
    page = await send(portUrl(port), { path: '/errors', elsewhere: true });
  });

  it('has an entry for each code, without a session token', () => {
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const ids = [...page.body.matchAll(/ id="([A-Z_]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...verdictCodes, ...Object.keys(errorTable)]));
  });

  it('is the target of `type` in a problem document of the port', async () => {
    const { body } = await send(portUrl(port), { path: '/elsewhere', elsewhere: true });
    const type = new URL(JSON.parse(body).type, `${portUrl(port)}/elsewhere`);
    expect(type.href).toBe(`${portUrl(port)}/errors#NOT_FOUND`);
  });

  it('runs no script, and allows no frame around it', () => {
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.body).not.toContain('<script');
  });

  it('takes only GET and HEAD', async () => {
    expect((await send(portUrl(port), { method: 'HEAD', path: '/errors', elsewhere: true })).status).toBe(200);
    const { status, headers } = await send(portUrl(port), { method: 'POST', path: '/errors', elsewhere: true });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

/** Clients send reports of leaked keys that GitHub has not signed, small and large ones; a team revokes its keys. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { githubExamples } from '../../../leaks/github-example.ts';
import { flood } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, medianRow } from '../attack.ts';
import { createKeys, measureRevocations, newTenant, revokedKeys, revokeRequests } from '../tenants.ts';

const revokesPerSecond = 10;
const connections = 16;
const [smallBytes, largeBytes] = [60_000, 1_500_000];
const [{ keyId, key, signature }] = githubExamples;

export const unsignedReports: Attack = {
  name: 'unsigned-reports',
  run: async (stage) => {
    const github = createServer((_, response) =>
      response.end(JSON.stringify({ public_keys: [{ key_identifier: keyId, key, is_current: true }] })),
    ).listen(0, '127.0.0.1');
    await once(github, 'listening');
    const { port } = github.address() as AddressInfo;
    try {
      const server = await stage.start({ GITHUB_SECRET_SCANNING_KEYS_URL: `http://127.0.0.1:${port}/` });
      const victim = newTenant();
      const keys = await createKeys(server, victim, revokedKeys(revokesPerSecond));
      const requests = revokeRequests(
        victim,
        keys.map(({ id }) => id),
      );
      const reports = [smallBytes, smallBytes, smallBytes, largeBytes].map(unsigned);
      const revoked = await measureRevocations(
        { url: server.url, perSecond: revokesPerSecond, requests },
        { victim: `a revoke of a team, ${revokesPerSecond}/s`, begin: () => flood(server.url, reports, connections) },
      );
      return [medianRow(revoked)];
    } finally {
      github.close();
    }
  },
};

/** A report with the signature of another one, which only the hash of the whole body shows. */
function unsigned(bytes: number): string {
  const headers = `Github-Public-Key-Identifier: ${keyId}\r\nGithub-Public-Key-Signature: ${signature}`;
  const request = rawRequest({ method: 'POST', path: '/v1/leaks/github', body: `[${' '.repeat(bytes)}]` });
  return request.replace('\r\n', `\r\n${headers}\r\n`);
}

/** One built service for the whole run. Each test uses a team of its own: any id is a team. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Instance, startBuilt } from '../../support/instance.ts';

/** Whose tokens teams can trust. No test calls it. */
export const issuer = 'https://token.actions.githubusercontent.com';
export const jwtSecret = 'a-secret-for-the-tests-of-the-dashboard-only';

declare module 'vitest' {
  interface ProvidedContext {
    urls: { readonly url: string; readonly verifyUrl: string };
  }
}

/** Starts a service that does not limit how often one address calls it. */
export async function startUnlimited(
  environment: NodeJS.ProcessEnv,
  options?: { readonly terminal: boolean },
): Promise<Instance> {
  const service = await startBuilt(
    { JWT_SECRET: jwtSecret, MANAGEMENT_RATE_LIMIT: '1000000', FAILED_TOKEN_LIMIT: '1000000', ...environment },
    options,
  );
  if (service.url === '') throw new Error(`the service did not start: ${service.output()}`);
  return service;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-browser-'));
  const service = await startUnlimited({
    DATA_DIR: directory,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    TRUSTED_ISSUERS: issuer,
  });
  project.provide('urls', { url: service.url, verifyUrl: service.verifyUrl });
  return async () => {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

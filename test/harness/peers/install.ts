/** Installs a peer of Latchkey from npm into a folder of its own: none of its packages is one of ours. */
import { execFile } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const packages = {
  'better-auth': '1.7.5',
  '@better-auth/api-key': '1.7.5',
  '@better-auth/core': '1.7.5',
  '@better-auth/utils': '0.4.2',
  'better-call': '1.4.0',
  express: '5.3.0',
  redis: '6.3.1',
};

/** The version that is compared. */
export const betterAuthVersion = packages['better-auth'];

/** Returns the program of an API with Better Auth, which takes its port and prints a key. */
export async function installBetterAuth(directory: string): Promise<string> {
  const program = join(directory, 'api.mjs');
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  copyFileSync(join(import.meta.dirname, 'better-auth.mjs'), program);
  // The frameworks that it supports are optional peers, which npm would install too.
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  await promisify(execFile)('npm', ['install', ...options], { cwd: directory });
  return program;
}

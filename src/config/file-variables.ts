/**
 * Secrets in files: `JWT_SECRET_FILE` names the file that has the value of `JWT_SECRET`, as Docker and Kubernetes provide
 * secrets. Values in the environment are shown by `docker inspect` and by whatever lists the environment of a process.
 */
import { readFileSync } from 'node:fs';

/** The variables whose value may be in a file: all secrets, and the public key, which has several lines. */
const secretNames = [
  'DATABASE_URL',
  'KEY_PEPPERS',
  'SIGNING_KEKS',
  'JWT_SECRET',
  'JWT_PUBLIC_KEY',
  'OIDC_CLIENT_SECRET',
  'VERIFIER_TOKENS',
  'FEED_TOKENS',
  'METRICS_TOKEN',
  'EVENTS_TOKEN',
  'LATCHKEY_TOKEN',
  'LATCHKEY_VERIFIER_TOKEN',
  'LATCHKEY_FEED_TOKEN',
] as const;

const fileVariable = (name: string) => `${name}_FILE`;

export const secretFileVariables: readonly string[] = secretNames.map(fileVariable);

export interface ResolvedEnvironment {
  /** The environment with the contents of the files, and without the variables that name them. */
  readonly environment: NodeJS.ProcessEnv;
  /** Without the contents of any file. */
  readonly problems: readonly string[];
}

export function resolveSecretFiles(environment: NodeJS.ProcessEnv): ResolvedEnvironment {
  const resolved = { ...environment };
  const problems: string[] = [];
  for (const name of secretNames) {
    const variable = fileVariable(name);
    const path = environment[variable];
    delete resolved[variable];
    if (path === undefined) continue;
    if (environment[name] === undefined) resolved[name] = readSecretFile(path, variable, problems);
    else problems.push(`${variable}: expected only where ${name} is not set`);
  }
  return { environment: resolved, problems };
}

/** Returns the variable that sets the value: the one that names a file, if there is one. */
export function settingVariable(name: string, environment: NodeJS.ProcessEnv): string {
  return environment[fileVariable(name)] === undefined ? name : fileVariable(name);
}

/**
 * Returns the contents without the line break at the end, which editors and most commands write. Bytes that are not UTF-8
 * are a problem: as text, different secrets could become the same. `source` is what named the file.
 */
export function readSecretFile(path: string, source: string, problems: string[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replace(/[\r\n]+$/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    problems.push(`${source}: expected a file that can be read (${code})`);
    return undefined;
  }
}

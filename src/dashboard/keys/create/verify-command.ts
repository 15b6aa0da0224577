import type { KeyEnv } from '../../generated/graphql.ts';
import { fromServer } from '../../server-values.ts';

/** Returns a shell command that verifies a key. A secret has no characters that a shell interprets. */
export function verifyCommand(secret: string, env: KeyEnv): string {
  return `curl ${fromServer('verify-url')}/v1/verify -d '${JSON.stringify({ key: secret, env })}'`;
}

import type { KeyEnv } from '../generated/graphql.ts';
import { fromServer } from '../server-values.ts';

/** A line for a shell that asks the verification port about a key. A secret has no character that a shell minds. */
export function verifyCommand(secret: string, env: KeyEnv): string {
  return `curl ${fromServer('verify-url')}/v1/verify -d '${JSON.stringify({ key: secret, env })}'`;
}

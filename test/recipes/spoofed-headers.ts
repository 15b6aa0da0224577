/** What a client sends so that an API takes another key for its own: every header that only Latchkey may set. */
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';

/** Every name that the verification port reads or writes. */
const latchkeyHeaders: readonly string[] = [
  ...new Set(
    readdirSync('src/gateway', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => readFileSync(`src/gateway/${name}`, 'utf8').match(/\bx-latchkey-[a-z-]*[a-z]/g) ?? []),
  ),
].sort();

/** Each header twice, and in the form that frameworks with CGI variables take for the same name. */
export const spoofedHeaders: Readonly<Record<string, string[]>> = Object.fromEntries(
  latchkeyHeaders.flatMap((name) =>
    [name, name.replaceAll('-', '_')].map((written) => [written, ['forged', 'forged twice']]),
  ),
);

/** Returns the names of the headers of a request that reached the API, in which a forged value is. */
export function forgedIn(headers: IncomingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (String(value).includes('forged') ? [name] : []));
}

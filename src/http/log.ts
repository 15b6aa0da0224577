import { type Logger, pino } from 'pino';
import { LogOutput } from './log-output.ts';

const standardOutput = new LogOutput(1);

/** Field names that are redacted from every logged object. */
const secrets = ['authorization', 'secret', 'signingSecret', 'token', 'key', 'digest', 'signingEnvelope'];

export function createLog(level: string): Logger {
  const redact = secrets.flatMap((name) => [name, `*.${name}`, `*.headers.${name}`]);
  return pino({ level, redact }, standardOutput);
}

/** The options of `npm run prove -- record-history`. docs/evidence/proof.md describes them. */
import { parseArgs } from 'node:util';

export interface Options {
  /** Without a slash at the end. */
  readonly management: string;
  readonly team: string;
  readonly endpoint: URL;
  readonly isAccepted: StatusTest;
  readonly isRejected: StatusTest;
  /** A module; null for an API that is described. */
  readonly driver: string | null;
  /** A file that describes an HTTP API. Default: Latchkey's. */
  readonly description: string | undefined;
  readonly seconds: number;
  readonly keys: number;
  readonly leaseMs: number;
  readonly output: string;
}

type StatusTest = (status: number) => boolean;

/** The maximum delay of a timer is 2^31 ms. */
const maxSeconds = 2_000_000;
const maxKeys = 10_000;
const maxLeaseMs = 3_600_000;

/** Throws an Error whose message is one line. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      management: { type: 'string', default: 'http://127.0.0.1:4000' },
      team: { type: 'string', default: '' },
      endpoint: { type: 'string', default: 'http://127.0.0.1:4001/v1/authorize' },
      accepted: { type: 'string', default: '2xx' },
      rejected: { type: 'string', default: '401,403' },
      driver: { type: 'string' },
      api: { type: 'string' },
      seconds: { type: 'string', default: '30' },
      keys: { type: 'string', default: '8' },
      lease: { type: 'string', default: '0' },
      output: { type: 'string', default: 'history.ndjson' },
    },
  });
  if (values.api !== undefined && values.driver !== undefined) throw new Error('--api: not with --driver');
  return {
    management: urlOf('--management', values.management).href.replace(/\/$/, ''),
    team: values.team,
    endpoint: urlOf('--endpoint', values.endpoint),
    isAccepted: statusTestOf('--accepted', values.accepted),
    isRejected: statusTestOf('--rejected', values.rejected),
    driver: values.driver ?? null,
    description: values.api,
    seconds: numberOf('--seconds', values.seconds, /^\d+(?:\.\d+)?$/, [0.001, maxSeconds], 'a number of seconds'),
    keys: numberOf('--keys', values.keys, /^\d+$/, [1, maxKeys], 'a whole number'),
    leaseMs: numberOf('--lease', values.lease, /^\d+$/, [0, maxLeaseMs], 'a whole number of milliseconds'),
    output: values.output,
  };
}

function urlOf(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`${option}: expected an http or https URL, not "${text}"`);
}

function numberOf(
  option: string,
  text: string,
  pattern: RegExp,
  [min, max]: readonly [min: number, max: number],
  what: string,
): number {
  const value = Number(text);
  if (pattern.test(text) && value >= min && value <= max) return value;
  throw new Error(`${option}: expected ${what} from ${min} to ${max}, not "${text}"`);
}

function statusTestOf(option: string, list: string): StatusTest {
  const patterns = list.split(',').map((one) => one.trim());
  const wrong = patterns.find((one) => !/^[1-5](?:\d\d|xx)$/.test(one));
  if (wrong !== undefined) {
    throw new Error(`${option}: expected statuses and ranges such as 2xx, separated by commas, not "${wrong}"`);
  }
  return (status) => patterns.some((one) => one === String(status) || one === `${Math.floor(status / 100)}xx`);
}

/** How much of the internet an allow-list covers. */
import { type AllowedNetwork, type AllowedSource, parseAllowedSource } from './allowed-source.ts';
import { bitsOf } from './ip-address.ts';

/** The networks in which public addresses are. The other IPv6 addresses are private or not assigned (RFC 4291). */
const internet: Readonly<Record<4 | 6, AllowedNetwork>> = {
  4: { kind: 'network', network: { family: 4, value: 0n }, prefixLength: 0 },
  6: { kind: 'network', network: { family: 6, value: 0x2000n << 112n }, prefixLength: 3 },
};

/** Returns the share of the public addresses that the networks of a list cover together, from 0 to 1. */
export function coverageOf(sources: readonly AllowedSource[], family: 4 | 6): number {
  const whole = spanOf(internet[family]);
  const spans = sources
    .flatMap((source) => (source.kind === 'network' && source.network.family === family ? [spanOf(source)] : []))
    .map(({ from, to }) => ({ from: max(from, whole.from), to: to < whole.to ? to : whole.to }))
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  let covered = 0n;
  let reached = whole.from;
  for (const { from, to } of spans) {
    const start = max(from, reached);
    if (to > start) covered += to - start;
    reached = max(reached, to);
  }
  // Rounds down: only the whole is 1.
  return Number((covered * precision) / (whole.to - whole.from)) / Number(precision);
}

/** Returns whether a valid list allows every IPv4 address, or every public IPv6 address. */
export function coversAll(entries: readonly string[]): boolean {
  const sources = entries.flatMap((entry) => {
    const parsed = parseAllowedSource(entry);
    return parsed.ok ? [parsed.value] : [];
  });
  return coverageOf(sources, 4) === 1 || coverageOf(sources, 6) === 1;
}

const precision = 1n << 40n;

function spanOf({ network: { family, value }, prefixLength }: AllowedNetwork) {
  return { from: value, to: value + (1n << BigInt(bitsOf[family] - prefixLength)) };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

import { isIP } from 'node:net';

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

/** Parses `a.b.c.d`, `a.b.c.d:port`, `v6` or `[v6]:port`, the forms of `dns.getServers()`. Returns null for other texts. */
export function parseDnsServer(text: string): DnsServer | null {
  const [, v6, v4, digits = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  const [address, port] = [v6 ?? v4 ?? text, Number(digits)];
  return isIP(address) !== 0 && port <= 65_535 ? { address, port } : null;
}

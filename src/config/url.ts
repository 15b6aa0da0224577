export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns a server's URL for clients on this machine, which can't call 0.0.0.0 or ::. */
export function localUrlOf(host: string, port: number): string {
  return urlOf(isEveryAddress(host) ? '127.0.0.1' : host, port);
}

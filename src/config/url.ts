export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns the URL of a server for a client on this machine. A server can listen on every address, but no client call it. */
export function localUrlOf(host: string, port: number): string {
  return urlOf(isEveryAddress(host) ? '127.0.0.1' : host, port);
}

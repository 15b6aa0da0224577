/** Says why a server can't be reached, and what to do. `code` is one of Node.js or OpenSSL; undefined if none is known. */
export function connectionProblem(code: string | undefined): string {
  if (code === undefined) return "it can't be reached: check the URL and the network";
  const [problem] = problems.find(([, pattern]) => pattern.test(code)) ?? [
    "can't be reached: check the URL and the network",
  ];
  return `it ${problem} (${code})`;
}

/** The first that matches counts. */
const problems: readonly (readonly [problem: string, pattern: RegExp])[] = [
  ["can't be reached, because no program listens there: start it, or correct host and port", /^ECONNREFUSED$/],
  ["can't be reached, because its host name is not known: correct it, or check DNS", /^(?:ENOTFOUND|EAI_)/],
  ['closed the connection: is there a proxy or firewall in between?', /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/],
  ['has a certificate that has expired: renew it', /^CERT_HAS_EXPIRED$/],
  ['has a certificate for another host name: correct the URL or the certificate', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  [
    'has a certificate that is not trusted here: set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority',
    /CERT|SELF_SIGNED|^UNABLE_TO/,
  ],
  ['does not speak TLS on this port: correct the URL', /SSL|TLS|^EPROTO$/],
];

/** Returns the code of an error or of its cause, as `fetch` throws them. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : codeOf(error.cause);
}

/** Returns the message. If it is empty, as for a host name with several addresses, returns the code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? (codeOf(error) ?? error.name) : error.message;
}

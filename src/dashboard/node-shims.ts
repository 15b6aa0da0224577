/** What the rules for sources import from `node:net` and `node:url`, for browsers. */
const octet = '(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])';
const ipv4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`);

export function isIPv4(text: string): boolean {
  return ipv4.test(text);
}

/**
 * Without zone ids, which the rules do not use. The URL parser knows IPv6 (RFC 4291, section 2.2) but accepts too many
 * forms of a dotted part.
 */
export function isIPv6(text: string): boolean {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text)) return false;
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  return (dotted === undefined || isIPv4(dotted)) && URL.canParse(`http://[${text}]`);
}

/** Returns an empty string for an invalid domain. */
export function domainToASCII(domain: string): string {
  const url = `http://${domain}`;
  return /[/?#@:\\]/.test(domain) || !URL.canParse(url) ? '' : new URL(url).hostname;
}

/** Browser versions of the functions that the rules for allowed sources import from `node:net` and `node:url`. */
const octet = '(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])';
const ipv4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`);

export function isIPv4(text: string): boolean {
  return ipv4.test(text);
}

/**
 * Returns whether a text is an IPv6 address (RFC 4291, section 2.2) without a zone id. The dotted part is checked here,
 * because the URL parser accepts too many forms of it.
 */
export function isIPv6(text: string): boolean {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text)) return false;
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  return (dotted === undefined || isIPv4(dotted)) && URL.canParse(`http://[${text}]`);
}

/** Returns the ASCII form of a domain; an empty string if the domain is invalid. */
export function domainToASCII(domain: string): string {
  const url = `http://${domain}`;
  return /[/?#@:\\]/.test(domain) || !URL.canParse(url) ? '' : new URL(url).hostname;
}

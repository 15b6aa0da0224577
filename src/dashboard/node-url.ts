/** `domainToASCII` of `node:url` for browsers. Returns an empty string for an invalid domain. */
export function domainToASCII(domain: string): string {
  const url = `http://${domain}`;
  return /[/?#@:\\]/.test(domain) || !URL.canParse(url) ? '' : new URL(url).hostname;
}

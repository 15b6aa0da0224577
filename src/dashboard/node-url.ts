/** `domainToASCII` of `node:url`: empty where there is no such domain. */
export function domainToASCII(domain: string): string {
  const url = `http://${domain}`;
  return /[/?#@:\\]/.test(domain) || !URL.canParse(url) ? '' : new URL(url).hostname;
}

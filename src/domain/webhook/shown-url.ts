import { hash } from 'node:crypto';

/**
 * Returns what events show of the URL of a webhook. The path of such a URL is often a secret: whoever knows it can post to
 * the receiver. Events have more readers than may see endpoints: all members with `view_team`, the team's other endpoints
 * and the operator's SIEM.
 */
export function shownOrigin(url: string): string {
  return new URL(url).origin;
}

/** Returns the origin and the start of a hash of the URL, which shows that only the path or the query has changed. */
export function shownUrl(url: string): string {
  return `${shownOrigin(url)} (${hash('sha256', url).slice(0, 8)})`;
}

import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';
import { type AllowedNetwork, parseAllowedSource } from '../source/allowed-source.ts';
import type { IpAddress } from '../source/ip-address.ts';
import { isPublicPort, type ReceiverPort, type ReceiverProblem, receiverProblem } from './delivery-address.ts';

const portExpected = 'must have port 443 or a port above 1023';

/** Problems never contain the URL, because URLs of webhooks often contain a secret. */
const problems: Readonly<Record<ReceiverProblem, string>> = {
  address: 'must have a public address: this one is private, local or reserved',
  http: 'must start with https://',
  port: portExpected,
};

/**
 * Parses the URL of a webhook. Accepts it as it is written. A host name's addresses are checked by the sender, each time
 * that it connects to one.
 */
export function parseWebhookUrl(text: string, allowedNetworks: readonly AllowedNetwork[]): Parsed<string> {
  const isRestricted = allowedNetworks.length === 0;
  if (text.length > limits.webhookUrlCharacters) {
    return rejected(`must have at most ${limits.webhookUrlCharacters} characters`);
  }
  // The URL parser removes tabs and newlines, and maps many characters to others, so a reader could see another host.
  if (!/^[\x21-\x7e]*$/.test(text)) {
    return rejected('must be ASCII without spaces: use percent-encoding in the path, and xn-- labels in the host name');
  }
  // Stricter than the URL parser, which also takes `https:host`, `https:///host` and backslashes.
  const authority = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i.exec(text)?.[1];
  if (authority === undefined || text.includes('\\') || !URL.canParse(text)) {
    return rejected(
      `must be an absolute ${isRestricted ? 'https' : 'https or http'} URL, such as https://example.com/webhooks`,
    );
  }
  if (authority.includes('@')) return rejected('must have no user name or password');
  if (text.includes('#')) return rejected('must have no fragment (#)');
  const url = new URL(text);
  const receiver = receiverPortOf(url);
  if (!receiver.isEncrypted && isRestricted) return rejected(problems.http);
  if (receiver.port === 0) return rejected(portExpected);
  const host = webhookHost(url);
  if (host === null) return rejected('must have a host name of letters, digits, hyphens and dots, or an IP address');
  if (host.kind === 'address') {
    const problem = receiverProblem(receiver, host.address, allowedNetworks);
    return problem === null ? accepted(text) : rejected(problems[problem]);
  }
  // The names and ports of an internal network may be in allowed networks.
  if (!isRestricted) return accepted(text);
  if (!host.name.includes('.') || host.name.endsWith('.localhost')) {
    return rejected('must have a public host name, such as example.com');
  }
  return isPublicPort(receiver.port) ? accepted(text) : rejected(portExpected);
}

export type WebhookHost =
  | { readonly kind: 'address'; readonly address: IpAddress }
  /** In lower case, without a trailing dot. */
  | { readonly kind: 'name'; readonly name: string };

/** Returns null for a host that is neither. The URL parser has turned other forms of addresses, such as 0x7f.1, into this one. */
export function webhookHost(url: URL): WebhookHost | null {
  const source = parseAllowedSource(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (!source.ok) return null;
  return source.value.kind === 'network'
    ? { kind: 'address', address: source.value.network }
    : { kind: 'name', name: source.value.host };
}

export function receiverPortOf({ protocol, port }: URL): ReceiverPort {
  const isEncrypted = protocol === 'https:';
  return { isEncrypted, port: port === '' ? (isEncrypted ? 443 : 80) : Number(port) };
}

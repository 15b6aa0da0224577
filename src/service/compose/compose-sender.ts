/** Constructs what sends webhooks, of which the store and the secrets are no part. */
import { readFileSync } from 'node:fs';
import type { Configuration } from '../../config/configuration.ts';
import { WebhookSender } from '../../events/sender/webhook-sender.ts';
import { projectFile } from '../../lib/project-files.ts';
import { HostResolver } from '../../verify/host-resolver.ts';

export function composeSender({ DNS_SERVERS, WEBHOOK_ALLOWED_NETWORKS = [] }: Configuration) {
  const { version } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { readonly version: string };
  const hosts = new HostResolver(DNS_SERVERS === undefined ? {} : { servers: DNS_SERVERS });
  const sender = new WebhookSender({
    addressesOf: (host, teamId) => hosts.addresses(host, teamId),
    allowedNetworks: WEBHOOK_ALLOWED_NETWORKS,
    userAgent: `Latchkey/${version}`,
  });
  return {
    sender,
    close: () => {
      sender.close();
      hosts.close();
    },
  };
}

/** Constructs what sends webhooks, of which the store and the secrets are no part. */
import type { Configuration } from '../../config/configuration.ts';
import { HostResolver } from '../../dns/host-resolver.ts';
import { WebhookSender } from '../../events/sender/webhook-sender.ts';
import { projectVersion } from '../../lib/project-files.ts';

export function composeSender({ DNS_SERVERS, WEBHOOK_ALLOWED_NETWORKS = [] }: Configuration) {
  const hosts = new HostResolver(DNS_SERVERS === undefined ? {} : { servers: DNS_SERVERS });
  const sender = new WebhookSender({
    addressesOf: (host, teamId) => hosts.addresses(host, teamId),
    allowedNetworks: WEBHOOK_ALLOWED_NETWORKS,
    userAgent: `Latchkey/${projectVersion()}`,
  });
  return {
    sender,
    close: () => {
      sender.close();
      hosts.close();
    },
  };
}

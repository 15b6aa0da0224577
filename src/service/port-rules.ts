/** The rules of the verification ports of instances and edges, from the configuration. */
import type { Configuration } from '../config/configuration.ts';
import { ClientNetworks } from '../gateway/client-networks.ts';
import type { PortOptions } from '../gateway/options.ts';
import { AcceptedTokens } from '../lib/accepted-tokens.ts';

/** The maximum number of concurrent verifications: about 40 ms of work. One address may use half of it. */
const capacity = 2048;

export function portRules(
  configuration: Configuration,
): Pick<PortOptions, 'authorize' | 'networks' | 'capacity' | 'issuer' | 'tokens'> {
  return {
    networks: new ClientNetworks(),
    capacity,
    issuer: configuration.INTROSPECTION_ISSUER ?? null,
    tokens: acceptedTokens(configuration, ['VERIFIER_TOKENS', 'FEED_TOKENS']),
    authorize: {
      keyLocations: configuration.KEY_LOCATIONS,
      convention: configuration.GATEWAY,
      sourceHeader: configuration.SOURCE_HEADER ?? null,
      sourceHops: configuration.SOURCE_HOPS,
      apiChecksContentDigest: configuration.API_CHECKS_CONTENT_DIGEST,
    },
  };
}

/** Returns the accepted tokens, or null if no token is needed. Edges may verify, but verifiers can't read the feed. */
export function acceptedTokens(
  configuration: Configuration,
  variables: readonly ('VERIFIER_TOKENS' | 'FEED_TOKENS')[],
): AcceptedTokens | null {
  const { VERIFIER_TOKENS, FEED_TOKENS } = configuration;
  if (VERIFIER_TOKENS === undefined && FEED_TOKENS === undefined) return null;
  return new AcceptedTokens(variables.flatMap((variable) => configuration[variable] ?? []));
}

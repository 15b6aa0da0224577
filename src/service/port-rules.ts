/** What the verification ports of instances and edges are configured with. */
import type { Configuration } from '../config/configuration.ts';
import { AcceptedTokens } from '../domain/accepted-tokens.ts';
import type { PortOptions } from '../gateway/options.ts';

/** The maximum number of concurrent verifications: about what one process decides in 40 ms. */
const capacity = 1024;

export function portRules(configuration: Configuration): Pick<PortOptions, 'authorize' | 'capacity' | 'tokens'> {
  const { VERIFIER_TOKENS } = configuration;
  return {
    capacity,
    tokens: VERIFIER_TOKENS === undefined ? null : new AcceptedTokens(VERIFIER_TOKENS),
    authorize: {
      convention: configuration.GATEWAY,
      sourceHeader: configuration.SOURCE_HEADER ?? null,
      sourceHops: configuration.SOURCE_HOPS,
      apiChecksContentDigest: configuration.API_CHECKS_CONTENT_DIGEST,
    },
  };
}

import type { KeyRing } from '../domain/secret/key-ring.ts';
import type { AcceptedTokens } from '../lib/accepted-tokens.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import type { Readiness } from '../ports/readiness.ts';
import type { Traces } from '../traces/spans.ts';
import type { EdgeFeed } from '../verify/edge-feed.ts';
import type { StoreVerifier } from '../verify/verifier.ts';
import type { ControlPlane } from '../wire/control-plane.ts';
import type { ClientNetworks } from './client-networks.ts';
import type { AuthorizeRules } from './request/authorize-call.ts';

export interface FeedOptions {
  readonly edges: Pick<EdgeFeed, 'handle'>;
  readonly controlPlane: Pick<ControlPlane, 'addUsage' | 'addSources' | 'addRates'>;
  /** Null if neither VERIFIER_TOKENS nor FEED_TOKENS is set, which is possible only on loopback. */
  readonly tokens: AcceptedTokens | null;
}

export interface PortOptions {
  /** The addresses with connections to the ports of the process. */
  readonly networks: ClientNetworks;
  readonly verifier: Pick<StoreVerifier, 'verify'>;
  readonly authorize: AuthorizeRules;
  /** What introspection names as the issuer of keys; null for nothing. */
  readonly issuer: string | null;
  /** The maximum number of concurrent verifications. */
  readonly capacity: number;
  readonly tokens: AcceptedTokens | null;
  readonly readiness: () => Promise<Readiness>;
  readonly requests: RequestCounters;
  readonly traces: Traces | null;
  readonly report: (error: unknown, what: string) => void;
}

/** How tokens are derived from keys. */
export interface Derivation {
  /** The tag of new tokens. */
  readonly tag: string;
  readonly ring: KeyRing;
  /** Called before a token is answered. */
  readonly announce: () => Promise<void>;
}

/** The options of an instance's verification port. An edge's port has only `PortOptions`. */
export interface GatewayOptions extends PortOptions {
  readonly verifier: Pick<StoreVerifier, 'verify' | 'find'>;
  readonly feed?: FeedOptions;
  /** Null if the operator has turned derivation off. */
  readonly derivation: Derivation | null;
  readonly revokeOwnKey: ControlPlane['revokeOwnKey'];
  readonly reportLeaks: ControlPlane['reportLeaks'];
}

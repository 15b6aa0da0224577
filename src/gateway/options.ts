import type { AcceptedTokens } from '../domain/accepted-tokens.ts';
import type { ControlPlane } from '../domain/control-plane.ts';
import type { Readiness } from '../domain/readiness.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import type { Traces } from '../traces/spans.ts';
import type { EdgeFeed } from '../verify/edge-feed.ts';
import type { Verifier } from '../verify/verifier.ts';
import type { AuthorizeRules } from './authorize-call.ts';

/** What edges ask. */
export interface FeedOptions {
  readonly edges: Pick<EdgeFeed, 'ask'>;
  readonly controlPlane: Pick<ControlPlane, 'addUsage' | 'addSources' | 'exchangeCounts'>;
  /** Null on the loopback interface, where no token is required. */
  readonly tokens: AcceptedTokens | null;
}

/** What every verification port has. */
export interface PortOptions {
  readonly verifier: Pick<Verifier, 'verify'>;
  readonly authorize: AuthorizeRules;
  /** The maximum number of concurrent verifications. */
  readonly capacity: number;
  /** Null on the loopback interface, where no token is required. */
  readonly tokens: AcceptedTokens | null;
  readonly readiness: () => Promise<Readiness>;
  readonly requests: RequestCounters;
  /** Null when tracing is off. */
  readonly traces: Traces | null;
  readonly report: (error: unknown, what: string) => void;
}

/** What the port of an instance has besides, and that of an edge has not. */
export interface GatewayOptions extends PortOptions {
  readonly verifier: Pick<Verifier, 'verify' | 'find'>;
  /** Absent if there are no edges. */
  readonly feed?: FeedOptions;
  readonly revokeOwnKey: ControlPlane['revokeOwnKey'];
}

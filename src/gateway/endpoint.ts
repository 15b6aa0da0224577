import type { Exchange } from './exchange.ts';
import type { GatewayConvention } from './request/authorize-call.ts';

/** An endpoint of the verification port. */
export interface Endpoint {
  /** The path. It is also the route label in metrics and traces: one of a fixed set, whatever the URL. */
  readonly route: string;
  /** Absent if every method is accepted. */
  readonly methods?: readonly string[];
  /** Whether the path can be followed by a query or by further segments. */
  readonly isPrefix?: boolean;
  /** The convention of the caller if it is a gateway, which can forward only the status and headers. */
  readonly convention?: GatewayConvention;
  /** Only verifications are traced, not health checks and unknown paths. */
  readonly isTraced?: boolean;
  /** Sends the answer, now or later. Throws an error of the request before that. */
  readonly answer: (exchange: Exchange, url: string) => void;
}

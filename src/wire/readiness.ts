/** The reason why a port can't serve requests: the store does not answer or, at an edge, no upstream answers. */
export type Unavailable = 'store unavailable' | 'upstreams unavailable';

/** The readiness of an instance or an edge, for load balancers. */
export type Readiness = 'ready' | 'draining' | Unavailable;

/** An answer of `/healthz` or `/readyz`, on both ports. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: { readonly status: Readiness | 'ok' };
}

/** The answer of `/healthz`. */
export const alive: HealthAnswer = { status: 200, body: { status: 'ok' } };

/** The answer of `/readyz`. */
export function readinessAnswer(status: Readiness): HealthAnswer {
  return { status: status === 'ready' ? 200 : 503, body: { status } };
}

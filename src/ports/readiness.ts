/** The readiness of an instance or an edge, for load balancers. */
export const readinesses = ['ready', 'draining', 'store unavailable', 'upstreams unavailable'] as const;
export type Readiness = (typeof readinesses)[number];

/** The reason why a port can't serve requests: the store does not answer or, at an edge, no upstream answers. */
export type Unavailable = Exclude<Readiness, 'ready' | 'draining'>;

/** An answer of `/healthz` or `/readyz`, on both ports. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: { readonly status: Readiness | 'ok' };
}

export const healthPaths = ['/healthz', '/readyz'] as const;

/** The answer of `/healthz`. */
export const alive: HealthAnswer = { status: 200, body: { status: 'ok' } };

/** The answer of `/readyz`. */
export function readinessAnswer(status: Readiness): HealthAnswer {
  return { status: status === 'ready' ? 200 : 503, body: { status } };
}

/** The readiness of an instance, for load balancers. */
export type Readiness = 'ready' | 'draining' | 'store unavailable';

/** The answers of `/healthz` and `/readyz`, alike on both ports. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: { readonly status: Readiness | 'ok' };
}

/** `/healthz`: the process answers. */
export const alive: HealthAnswer = { status: 200, body: { status: 'ok' } };

/** `/readyz`: the instance can serve requests and is not draining. */
export function readinessAnswer(status: Readiness): HealthAnswer {
  return { status: status === 'ready' ? 200 : 503, body: { status } };
}

/** What an instance says of itself to whoever sends it requests. */
export type Readiness = 'ready' | 'draining' | 'store unavailable';

/** The answers of `/healthz` and `/readyz`, alike on both ports. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: { readonly status: Readiness | 'ok' };
}

/** `/healthz`: the process answers. */
export const alive: HealthAnswer = { status: 200, body: { status: 'ok' } };

/** `/readyz`: it can do its work, and means to go on doing it. */
export function readinessAnswer(status: Readiness): HealthAnswer {
  return { status: status === 'ready' ? 200 : 503, body: { status } };
}

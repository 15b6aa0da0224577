import { type Response, Router } from 'express';
import { alive, type HealthAnswer, type Readiness, readinessAnswer } from '../ports/readiness.ts';

export function healthRouter(readiness: () => Promise<Readiness>): Router {
  const router = Router();
  router.get('/healthz', (_, response) => send(response, alive));
  router.get('/readyz', async (_, response) => send(response, readinessAnswer(await readiness())));
  return router;
}

function send(response: Response, { status, body }: HealthAnswer): void {
  response.status(status).setHeader('cache-control', 'no-store').json(body);
}

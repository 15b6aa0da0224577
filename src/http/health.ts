import { Router } from 'express';

export interface Health {
  /** Resolves when the store answers. */
  readonly ping: () => Promise<void>;
  readonly draining: () => boolean;
}

const patienceMs = 2000;

/** `/healthz`: the process answers. `/readyz`: it can do its work, and means to go on doing it. */
export function healthRouter({ ping, draining }: Health): Router {
  const router = Router();
  router.get('/healthz', (_, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_, response) => {
    const status = draining() ? 'draining' : (await answersInTime(ping)) ? 'ready' : 'store unavailable';
    response.status(status === 'ready' ? 200 : 503).json({ status });
  });
  return router;
}

async function answersInTime(ping: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeOut = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  try {
    return await Promise.race([ping().then(() => true), timeOut]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

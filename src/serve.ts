/** One process of the service: listen, and drain when told to stop. */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { compose, type Service } from './compose.ts';
import { type Configuration, isLoopback } from './config.ts';
import { drainServers } from './drain.ts';
import { listen } from './listen.ts';
import { signLocalToken } from './local-token.ts';
import { localTokenSecret } from './secrets-file.ts';
import { serveMetrics } from './serve-metrics.ts';
import { urlOf, welcome } from './welcome.ts';

/** Within this, open requests are finished; then they are cut off. Orchestrators commonly kill after 10 s or 30 s. */
const patienceMs = 8000;

export async function runService(configuration: Configuration): Promise<void> {
  const service = await compose(configuration);
  const management = createServer({ connectionsCheckingInterval: 1000 }, service.app);
  // A client that dribbles its request must not hold a connection for long.
  management.headersTimeout = 10_000;
  management.requestTimeout = 20_000;
  // Longer than the minute that load balancers keep connections for: one that we closed could just be in use again.
  management.keepAliveTimeout = 65_000;
  const servers = [management, service.gateway];
  const [port, verifyPort] = [
    await listen(management, configuration.HOST, configuration.PORT),
    await listen(service.gateway, configuration.VERIFY_HOST, configuration.VERIFY_PORT),
  ];
  const url = urlOf(configuration.HOST, port);
  const verifyUrl = urlOf(configuration.VERIFY_HOST, verifyPort);
  const { firstRun } = service;
  // Workers have a primary that says it once.
  if (cluster.isPrimary && (process.stdout.isTTY || firstRun)) {
    // A link that signs in is for whoever sits at the terminal; what is no terminal may be a log.
    const session = firstRun && process.stdout.isTTY ? await firstSession(configuration) : null;
    process.stdout.write(welcome({ url, verifyUrl, configuration, firstRun, session }));
  }
  const metricsUrl = await serveMetrics(configuration, service);
  stopWhenTold(service, servers, configuration.DRAIN_GRACE_MS);
  service.log.info({ url, verifyUrl, ...(metricsUrl === null ? {} : { metricsUrl }) }, 'ready');
}

/** Only for whoever starts it on a machine of their own: anywhere else a link that signs in has no business on a screen. */
async function firstSession(configuration: Configuration): Promise<{ token: string; team: string } | null> {
  const secret = localTokenSecret(configuration);
  if (secret === null || !isLoopback(configuration.HOST)) return null;
  const team = randomUUID();
  const seconds = Math.min(3600, configuration.JWT_MAX_LIFETIME);
  const teams = { [team]: ['view_team', 'manage_keys'] as const };
  return { team, token: await signLocalToken(configuration, secret, { teams, subject: 'local', seconds }) };
}

/**
 * The first signal drains, the second ends at once. Only the primary counts them: systemd and a terminal signal the
 * workers too, and then each would hear one signal twice.
 */
function stopWhenTold(service: Service, servers: readonly Server[], graceMs: number): void {
  let draining = false;
  const told = () => {
    if (!draining) void drain(service, servers, graceMs);
    else if (cluster.isPrimary) endAtOnce(service);
    draining = true;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, told);
}

function endAtOnce({ log }: Service): void {
  log.warn('ended at once, by a second signal');
  process.exit(1);
}

async function drain(service: Service, servers: readonly Server[], graceMs: number): Promise<void> {
  service.startDraining();
  service.log.info({ graceMs }, 'draining');
  const onCutOff = () => service.log.warn('requests were still open at the end of the drain');
  await drainServers({ servers, graceMs, patienceMs, onCutOff });
  await service.close();
  service.log.info('stopped');
  process.exit(0);
}

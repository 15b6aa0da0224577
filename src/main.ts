import type { Server } from 'node:http';
import { compose, type Service } from './compose.ts';
import { type Configuration, ConfigurationError, readConfiguration } from './config.ts';
import { welcome } from './welcome.ts';

/** Within this, open requests are finished; then they are cut off. Orchestrators commonly kill after 10 s or 30 s. */
const drainMs = 8000;

async function main(): Promise<void> {
  // Whatever we write, the database included, is for our own user alone.
  process.umask(0o077);
  const configuration = readConfiguration(process.env);
  const service = await compose(configuration);
  const server = await listen(service, configuration);
  const address = server.address();
  const url = `http://${bracketed(configuration.HOST)}:${typeof address === 'object' && address !== null ? address.port : configuration.PORT}`;
  if (process.stdout.isTTY || service.firstRun)
    process.stdout.write(welcome({ url, configuration, firstRun: service.firstRun }));
  service.log.info({ url }, 'ready');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void drain(service, server));
}

async function listen({ app }: Service, { HOST, PORT }: Configuration): Promise<Server> {
  return await new Promise((resolve, reject) => {
    const server = app.listen(PORT, HOST, (error) => (error === undefined ? resolve(server) : reject(error)));
    server.headersTimeout = 10_000;
    server.requestTimeout = 30_000;
  });
}

async function drain(service: Service, server: Server): Promise<void> {
  service.startDraining();
  service.log.info('draining');
  const deadline = setTimeout(() => {
    service.log.warn('requests were still open at the end of the drain');
    server.closeAllConnections();
  }, drainMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(deadline);
  await service.close();
  service.log.info('stopped');
  process.exit(0);
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

try {
  await main();
} catch (error) {
  if (error instanceof ConfigurationError) {
    console.error(
      `Latchkey can't start with this configuration:\n${error.problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  } else {
    // Its message may come from a driver, but never has a value of ours in it.
    console.error(`Latchkey can't start: ${error instanceof Error ? error.message : String(error)}`);
  }
  process.exit(1);
}

import cluster from 'node:cluster';
import { ConfigurationError, readConfiguration } from './config.ts';
import { runService } from './serve.ts';
import { superviseWorkers } from './workers.ts';

async function main(): Promise<void> {
  // Whatever we write, the database included, is for our own user alone.
  process.umask(0o077);
  const configuration = readConfiguration(process.env);
  if (configuration.WORKERS > 1 && cluster.isPrimary) await superviseWorkers(configuration);
  else await runService(configuration);
}

// A terminal that has gone or a full disk behind these is no reason to end, nor to stop verifying.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await main();
} catch (error) {
  if (error instanceof ConfigurationError) {
    const problems = error.problems.map((problem) => `  ${problem}`).join('\n');
    console.error(`Latchkey can't start with this configuration:\n${problems}`);
  } else {
    // Its message may come from a driver, but never has a value of ours in it.
    console.error(`Latchkey can't start: ${error instanceof Error ? error.message : String(error)}`);
  }
  process.exit(1);
}

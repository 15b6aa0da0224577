/** `latchkey edge`: runs a verification port without a database, next to the APIs that it serves. */
import type { Command } from 'commander';
import type { EdgeOptions } from '../../config/edge-configuration.ts';
import { collect } from '../options.ts';

export function addEdgeCommand(program: Command): void {
  program
    .command('edge')
    .description('run a verification port without a database, fed by the verification ports of the service')
    .requiredOption('--upstream <url>', 'a verification port; repeat it for failover', collect)
    .option('--host <address>', 'the address to listen on (VERIFY_HOST)')
    .option('--port <port>', 'the port to listen on (VERIFY_PORT)')
    .option('--token-file <path>', 'the file with the feed token, instead of LATCHKEY_FEED_TOKEN')
    .action(async (options: EdgeOptions) => {
      const { runEdge } = await import('../../service/edge.ts');
      await runEdge(options);
    });
}

/** The entry point of the management process: the control plane on the management port. */
import type { Server } from 'node:http';
import { type Configuration, isLoopback } from '../config/configuration.ts';
import { localTokenSecret } from '../config/secrets-file.ts';
import { localUrlOf } from '../config/url.ts';
import { createManagementServer } from '../http/server.ts';
import { composeManagement } from './compose/compose-management.ts';
import { exampleTeam, localTokenSeconds, signLocalToken } from './local-token.ts';
import { onSupervisorMessage, sendToSupervisor } from './processes/messages.ts';
import { runPlane } from './processes/plane-process.ts';
import { ProcessLink, perform } from './processes/process-link.ts';
import { SenderLink } from './processes/sender-link.ts';
import { throttledReport } from './processes/throttled-report.ts';
import { welcome } from './welcome.ts';

const link = new ProcessLink();
const sender = new SenderLink(link);
onSupervisorMessage((message) => {
  sender.receive(message);
  link.receive(message);
});

await runPlane(async (configuration, log) => {
  const report = throttledReport(log);
  let verifyPort = configuration.VERIFY_PORT;
  const plane = await composeManagement({
    configuration,
    log,
    sender,
    verifyPort: () => verifyPort,
    onPrepared: () => sendToSupervisor({ kind: 'prepared' }),
  });
  const server = createManagementServer(plane.app);
  const mayClose = new Promise<void>((resolve) => {
    onSupervisorMessage((message) => {
      if (message.kind === 'call' && message.call.to === 'management') {
        const { from, id, call } = message;
        void perform(plane.controlPlane, call, report).then((outcome) =>
          sendToSupervisor({ kind: 'reply', to: from, id, outcome }),
        );
      } else if (message.kind === 'verification-port') verifyPort = message.port;
      else if (message.kind === 'started') {
        void printWelcome(configuration, server, verifyPort, plane.firstRun).finally(() =>
          sendToSupervisor({ kind: 'welcomed' }),
        );
      } else if (message.kind === 'close') resolve();
    });
  });
  return {
    server,
    port: '',
    extAuthz: null,
    sharesPort: false,
    readings: { management: plane.readings },
    startDraining: plane.startDraining,
    // Waits for the verification processes, which send their remaining usage when they end.
    close: async () => {
      await mayClose;
      await plane.close();
    },
  };
});

async function printWelcome(
  configuration: Configuration,
  server: Server,
  verifyPort: number,
  firstRun: boolean,
): Promise<void> {
  if (!process.stdout.isTTY && !firstRun) return;
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : configuration.PORT;
  // The sign-in link is printed only on a terminal, because other output may go to a log.
  const token = firstRun && process.stdout.isTTY ? await firstToken(configuration) : null;
  const urls = [localUrlOf(configuration.HOST, port), localUrlOf(configuration.VERIFY_HOST, verifyPort)] as const;
  process.stdout.write(welcome(configuration, urls, firstRun, token));
}

/**
 * Returns a token for the first sign-in; null unless the service listens on loopback and signs tokens itself, and users
 * do not sign in at a provider.
 */
async function firstToken(configuration: Configuration): Promise<string | null> {
  const secret = localTokenSecret(configuration);
  if (secret === null || !isLoopback(configuration.HOST) || configuration.OIDC_ISSUER !== undefined) return null;
  const seconds = Math.min(localTokenSeconds, configuration.JWT_MAX_LIFETIME);
  const teams = { [exampleTeam]: ['view_team', 'manage_keys'] as const };
  return await signLocalToken(configuration, secret, { teams, subject: 'local', seconds, isForLink: true });
}

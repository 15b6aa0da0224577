/** Both planes in one process, with the calls between them made directly: what the supervisor joins over IPC. */
import type { RequestListener, Server } from 'node:http';
import type { Logger } from 'pino';
import type { Configuration } from '../../src/config/configuration.ts';
import { createLog } from '../../src/http/log.ts';
import type { Management } from '../../src/manage/management.ts';
import type { Readings } from '../../src/metrics/readings.ts';
import { composeManagement } from '../../src/service/compose/compose-management.ts';
import { composeVerification } from '../../src/service/compose/compose-verification.ts';

export interface Service {
  /** The management port. */
  readonly app: RequestListener;
  /** The verification port. */
  readonly gateway: Server;
  readonly log: Logger;
  readonly management: Management;
  readonly readings: Readings;
  readonly firstRun: boolean;
  readonly startDraining: () => void;
  readonly close: () => Promise<void>;
}

export async function compose(configuration: Configuration): Promise<Service> {
  const log = createLog(configuration.LOG_LEVEL);
  let verifyPort = () => configuration.VERIFY_PORT;
  const management = await composeManagement({
    configuration,
    log,
    verifyPort: () => verifyPort(),
    onPrepared: () => undefined,
  });
  const verification = await composeVerification(configuration, log, management.controlPlane);
  verifyPort = () => {
    const address = verification.gateway.address();
    return typeof address === 'object' && address !== null ? address.port : configuration.VERIFY_PORT;
  };
  return {
    app: management.app,
    gateway: verification.gateway,
    log,
    management: management.management,
    readings: { management: management.readings, verification: verification.readings },
    firstRun: management.firstRun,
    startDraining: () => {
      management.startDraining();
      verification.startDraining();
    },
    close: async () => {
      await verification.close();
      await management.close();
    },
  };
}

/** All planes in one process, with the calls between them made directly: what the supervisor joins over IPC. */
import type { Configuration } from '../../src/config/configuration.ts';
import type { Readings } from '../../src/metrics/readings.ts';
import { composeManagement } from '../../src/service/compose/compose-management.ts';
import { composeSender } from '../../src/service/compose/compose-sender.ts';
import { composeVerification } from '../../src/service/compose/compose-verification.ts';
import { createLog } from '../../src/service/log.ts';

export type Service = Awaited<ReturnType<typeof compose>>;

export async function compose(configuration: Configuration) {
  const log = createLog(configuration.LOG_LEVEL);
  let verifyPort = () => configuration.VERIFY_PORT;
  const { sender, close: closeSender } = composeSender(configuration);
  const management = await composeManagement({
    configuration,
    log,
    sender,
    verifyPort: () => verifyPort(),
    onPrepared: () => undefined,
  });
  const verification = await composeVerification(configuration, log, management.controlPlane);
  verifyPort = () => {
    const address = verification.gateway.address();
    return typeof address === 'object' && address !== null ? address.port : configuration.VERIFY_PORT;
  };
  const readings: Readings = { management: management.readings, verification: verification.readings };
  return {
    /** The management port. */
    app: management.app,
    /** The verification port. */
    gateway: verification.gateway,
    /** The port for Envoy's external authorization; null without EXT_AUTHZ_PORT. */
    extAuthz: verification.extAuthz,
    log,
    management: management.management,
    readings,
    firstRun: management.firstRun,
    startDraining: () => {
      management.startDraining();
      verification.startDraining();
    },
    close: async () => {
      await verification.close();
      await management.close();
      closeSender();
    },
  };
}

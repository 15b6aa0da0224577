/** The entry point of a verification process: the data plane on the verification port. */
import { composeVerification } from './compose/compose-verification.ts';
import { ControlPlaneLink } from './processes/control-plane-link.ts';
import { onSupervisorMessage } from './processes/messages.ts';
import { runPlane } from './processes/plane-process.ts';

const link = new ControlPlaneLink();
const mayOpen = new Promise<void>((resolve) => {
  onSupervisorMessage((message) => {
    if (message.kind === 'open') resolve();
    else if (message.kind === 'reply') link.settle(message.id, message.outcome);
    else if (message.kind === 'management-ended') link.failAll();
  });
});

await runPlane(async (configuration, log) => {
  await mayOpen;
  const { gateway, ...plane } = await composeVerification(configuration, log, link.controlPlane);
  return {
    ...plane,
    server: gateway,
    port: 'VERIFY_',
    sharesPort: configuration.WORKERS > 1,
    readings: { verification: plane.readings },
  };
});

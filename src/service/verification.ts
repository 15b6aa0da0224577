/** The entry point of a verification process: the data plane on the verification port. */
import { composeVerification } from './compose/compose-verification.ts';
import { onSupervisorMessage } from './processes/messages.ts';
import { runPlane } from './processes/plane-process.ts';
import { controlPlaneOver, ProcessLink } from './processes/process-link.ts';

const link = new ProcessLink();
const mayOpen = new Promise<void>((resolve) => {
  onSupervisorMessage((message) => {
    if (message.kind === 'open') resolve();
    else link.receive(message);
  });
});

await runPlane(async (configuration, log) => {
  await mayOpen;
  const { gateway, ...plane } = await composeVerification(configuration, log, controlPlaneOver(link));
  return {
    ...plane,
    server: gateway,
    port: 'VERIFY_',
    sharesPort: configuration.WORKERS > 1,
    readings: { verification: plane.readings },
  };
});

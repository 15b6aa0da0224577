/** `npm run chaos`: faults of processes, stores, disks and networks while keys are changed and verified. */
import { runPart } from '../support/run-part.ts';

await runPart('chaos', {
  torture: () => import('./torture/main.ts'),
  durability: () => import('./durability/main.ts'),
  network: () => import('./network/main.ts'),
  faults: () => import('./faults/main.ts'),
});

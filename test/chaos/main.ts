/** `npm run chaos`: faults of processes, stores, disks and networks while keys are changed and verified. */
import { runPart } from '../harness/arguments.ts';

await runPart('chaos', {
  torture: () => import('./torture/main.ts'),
  durability: () => import('./durability/main.ts'),
  network: () => import('./network/main.ts'),
  // Single faults, whose outcome is known: tests, which also run with `npm run test:slow`.
  faults: () => import('./faults/main.ts'),
});

/**
 * `npm run chaos`: faults of processes, stores, disks and networks while keys are changed and verified. Single faults, whose
 * outcome is known, are the tests in `faults`.
 */
import { runPart } from '../harness/arguments.ts';

await runPart('chaos', {
  torture: () => import('./torture/main.ts'),
  durability: () => import('./durability/main.ts'),
  network: () => import('./network/main.ts'),
});

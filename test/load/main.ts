/** `npm run load`: what the built service does under load, and under the load of attackers. */
import { runPart } from '../harness/arguments.ts';

await runPart('load', {
  bench: () => import('./bench/main.ts'),
  hostile: () => import('./hostile/main.ts'),
  overload: () => import('./overload/main.ts'),
  soak: () => import('./soak/main.ts'),
});

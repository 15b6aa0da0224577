/**
 * `npm run prove`: exhaustive and simulated checks of the strict promise, and the judge of recorded histories.
 * The simulated world and the judge need no build.
 */
import { runPart } from '../harness/arguments.ts';

await runPart('prove', {
  spin: () => import('./model/check.ts'),
  simulate: () => import('./simulation/main.ts'),
  'check-history': () => import('./history/check-history.ts'),
  'record-history': () => import('./history/record-history.ts'),
  compare: () => import('./compare/main.ts'),
});

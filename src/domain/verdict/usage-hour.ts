import type { VerdictCode } from './verdict-code.ts';

/** How often a key, or the keys of a team, were verified in one hour with one verdict. */
export interface UsageHour {
  readonly hour: Date;
  readonly code: VerdictCode;
  readonly count: number;
}

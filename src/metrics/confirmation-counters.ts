import { confirmationBounds, DurationHistogram } from './duration-histogram.ts';
import type { ConfirmationReadings } from './readings.ts';

export class ConfirmationCounters implements ConfirmationReadings {
  answered = 0;
  failed = 0;
  leased = 0;
  readonly durations = new DurationHistogram(confirmationBounds);
  readonly ages = new DurationHistogram(confirmationBounds);
  lastAt = 0;
  hits = 0;
  misses = 0;
}

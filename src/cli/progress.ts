/** Shows a progress bar on standard error if it is a terminal. */
import { SingleBar } from 'cli-progress';

export interface Progress {
  readonly reach: (value: number) => void;
  readonly stop: () => void;
}

const noProgress: Progress = { reach: () => undefined, stop: () => undefined };

export function startProgress(total: number | null, format: string): Progress {
  if (total === null || !process.stderr.isTTY) return noProgress;
  const bar = new SingleBar({ format, stream: process.stderr, etaBuffer: 50, hideCursor: true });
  bar.start(total, 0);
  const reach = (value: number) => {
    // The service may count only a part of a long list.
    if (value > bar.getTotal()) bar.setTotal(value);
    bar.update(value);
  };
  return { reach, stop: () => bar.stop() };
}

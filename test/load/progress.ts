/** Shows on standard error how far a long command is: a bar on a terminal, otherwise lines. */
import { SingleBar } from 'cli-progress';

export interface Progress {
  /** Begins the next step. */
  readonly next: (step: string) => void;
  readonly stop: () => void;
}

/** Shows which step of how many is running, and for how long the command has been running. */
export function startProgress(total: number): Progress {
  const { show, stop } = display(total, '');
  let begun = 0;
  return {
    next: (step) => {
      begun += 1;
      show(begun, step);
    },
    stop,
  };
}

/** Shows how many of the seconds have passed. Call the result to end it. */
export function startCountdown(totalSeconds: number, what: string): () => void {
  const { show, stop } = display(totalSeconds, ' s');
  const startedAt = performance.now();
  const update = () => show(Math.min(totalSeconds, Math.round((performance.now() - startedAt) / 1000)), what);
  update();
  const timer = setInterval(update, process.stderr.isTTY ? 1000 : 30_000);
  return () => {
    clearInterval(timer);
    stop();
  };
}

function display(total: number, unit: string) {
  if (!process.stderr.isTTY) {
    const startedAt = performance.now();
    const line = (value: number, text: string) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      return `${value} of ${total}${unit}${unit === '' ? `, after ${seconds} s` : ''}: ${text}\n`;
    };
    return { show: (value: number, text: string) => process.stderr.write(line(value, text)), stop: () => undefined };
  }
  const format = `[{bar}] {value} of {total}${unit}, after {duration_formatted}: {text}`;
  // Rarely drawn, because the command may be measuring.
  const bar = new SingleBar({ format, stream: process.stderr, fps: 2, hideCursor: true });
  bar.start(total, 0, { text: '' });
  return { show: (value: number, text: string) => bar.update(value, { text }), stop: () => bar.stop() };
}

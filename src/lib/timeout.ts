/** Settles like `work`, or resolves to `late` after the timeout. Until then, the timer keeps the process alive. */
export function withTimeout<Result, Late>(
  work: Promise<Result>,
  timeoutMs: number,
  late: Late,
): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), timeoutMs);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/**
 * Resolves to the result of the work, or to `late` after the timeout. The work goes on, and its result is then ignored.
 * The timer keeps the process alive.
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  timeoutMs: number,
  late: Late,
): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

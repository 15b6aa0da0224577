/**
 * Lets the event loop do other work before the next statement of a transaction. SQLite answers at once, so that Prisma
 * never returns to the event loop, and every other call would wait for the whole transaction.
 */
export async function turnOfLoop(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

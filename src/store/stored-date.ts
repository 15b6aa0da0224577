/**
 * Formats a date as the database stores it. SQLite compares dates as text, so SQL of our own must write exactly what
 * Prisma writes. test/store/stored-date.test.ts compares both.
 */
export function storedDate(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

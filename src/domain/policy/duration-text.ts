export function durationText(seconds: number): string {
  for (const [name, length] of [
    ['days', 86_400],
    ['hours', 3600],
    ['minutes', 60],
  ] as const) {
    if (seconds % length === 0 && seconds >= length) return `${seconds / length} ${name}`;
  }
  return `${seconds} seconds`;
}

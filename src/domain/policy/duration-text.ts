/** Returns a duration in its largest whole unit, such as `30 days` or `90 seconds`. */
export function durationText(seconds: number): string {
  for (const [name, length] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const) {
    if (seconds % length === 0 && seconds >= length) return counted(seconds / length, name);
  }
  return counted(seconds, 'second');
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

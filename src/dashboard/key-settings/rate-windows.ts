/** The windows of a rate limit that can be chosen. */
const windows = [
  { value: '1', label: 'second' },
  { value: '60', label: 'minute' },
  { value: '3600', label: 'hour' },
  { value: '86400', label: 'day' },
];

/** Returns the choices, with the current one: other programs can set any number of seconds. */
export function windowChoices(seconds: string): { value: string; label: string }[] {
  const isListed = windows.some(({ value }) => value === seconds);
  return isListed ? windows : [...windows, { value: seconds, label: `${seconds} seconds` }];
}

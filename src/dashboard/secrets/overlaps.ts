/** How long a replaced secret can still be accepted, in seconds. */
export const overlaps = [
  { value: '0', label: 'No time: it ends at once' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

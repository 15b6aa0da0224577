/** Numbers and times are in English, like all texts of the dashboard, and do not depend on the browser's language. */
const language = 'en-GB';

export const formatNumber = new Intl.NumberFormat(language).format;

/** Such as `1.2M`, for narrow columns. */
export const formatCompact = new Intl.NumberFormat(language, { notation: 'compact' }).format;

export function formatCount(count: number, isPartial: boolean): string {
  return `${formatNumber(count)}${isPartial ? '+' : ''}`;
}

export const formatTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' }).format;

export const formatDay = new Intl.DateTimeFormat(language, { dateStyle: 'full' }).format;

/** Converts the ISO 8601 times in a text of the service (UTC, with milliseconds) to the user's time zone. */
export function inLocalTime(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => formatTime(new Date(time)));
}

const windows = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
];

/** Returns a rate limit in words, such as `1,000 per day` or `20 per 90 seconds`. */
export function formatRate(limit: number, windowSeconds: number): string {
  const { unit, seconds } = windows.find((window) => windowSeconds % window.seconds === 0) ?? {
    unit: 'second',
    seconds: 1,
  };
  const count = windowSeconds / seconds;
  return `${formatNumber(limit)} per ${count === 1 ? unit : `${formatNumber(count)} ${unit}s`}`;
}

const relative = new Intl.RelativeTimeFormat(language);
const units = [
  { unit: 'second', seconds: 1, below: 60 },
  { unit: 'minute', seconds: 60, below: 60 },
  { unit: 'hour', seconds: 3600, below: 24 },
  { unit: 'day', seconds: 86_400, below: 60 },
  { unit: 'month', seconds: 2_629_746, below: 24 },
  { unit: 'year', seconds: 31_556_952, below: Number.POSITIVE_INFINITY },
] as const;

/** Returns a time relative to now (`in 2 hours`), in the smallest unit whose rounded count is below its limit. */
export function formatRelative(time: Date, now: number): string {
  const seconds = (time.getTime() - now) / 1000;
  for (const { unit, seconds: length, below } of units) {
    const count = Math.round(seconds / length);
    // What has just happened, or is about to.
    if (unit === 'second' && count === 0) return seconds > 0 ? 'now' : 'just now';
    if (unit === 'month' && Math.abs(count) === 12) continue;
    if (Math.abs(count) < below) return relative.format(count, unit);
  }
  throw new Error('the last unit has no limit');
}

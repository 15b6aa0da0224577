/** A time in the user's time zone and language: relative in the text, exact on hover. */

interface Props {
  readonly at: string | Date;
}

export function Moment({ at }: Props) {
  const date = new Date(at);
  return (
    // Not the tooltip of the library, because hundreds of them in a table would slow down the page.
    <time dateTime={date.toISOString()} title={exact.format(date)} className="nowrap">
      {relatively(date, new Date())}
    </time>
  );
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

function relatively(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

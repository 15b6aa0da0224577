/** A time relative to now, which is kept up to date. Hovering shows the exact time. */
import { useAtNow } from './clock.ts';
import { formatRelative, formatTime } from './format.ts';

export function Moment({ at }: { readonly at: string | Date }) {
  const date = new Date(at);
  const text = useAtNow((now) => formatRelative(date, now));
  return (
    // A `title`, because hundreds of Mantine's tooltips in a table would slow down the page.
    <time dateTime={date.toISOString()} title={formatTime(date)} className="nowrap">
      {text}
    </time>
  );
}

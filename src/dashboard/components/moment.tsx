/** A time: relative to now in the text, which ticks, and exact on hover. */
import { useAtNow } from './clock.ts';
import { formatRelative, formatTime } from './format.ts';

export function Moment({ at }: { readonly at: string | Date }) {
  const date = new Date(at);
  const text = useAtNow((now) => formatRelative(date, now));
  return (
    // Not the tooltip of the library, because hundreds of them in a table would slow down the page.
    <time dateTime={date.toISOString()} title={formatTime(date)} className="nowrap">
      {text}
    </time>
  );
}

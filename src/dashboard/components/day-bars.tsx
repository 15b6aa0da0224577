import './day-bars.css';

interface Props {
  /** A number for each day. */
  readonly counts: readonly number[];
  /** What the chart shows, for screen readers and on hovering. */
  readonly text: string;
  /** The count that is as high as the chart; by default the highest. */
  readonly max?: number;
  /** In what color: by default without a meaning. */
  readonly kind?: 'accepted' | 'rejected';
}

const height = 18;
const barWidth = 3;
const step = barWidth + 1;

/** A small chart with a bar for each day. */
export function DayBars({ counts, text, max = Math.max(...counts), kind }: Props) {
  const width = counts.length * step;
  const isEmpty = counts.every((count) => count === 0);
  return (
    <svg className="day-bars" role="img" width={width} height={height} data-empty={isEmpty} data-kind={kind}>
      <title>{text}</title>
      <path d={barsOf(counts, max)} />
    </svg>
  );
}

/** Returns the outline of the bars. A day with calls is at least 3 pixels high, a day without 1 pixel. */
function barsOf(counts: readonly number[], max: number): string {
  return counts
    .map((count, day) => {
      const bar = count === 0 ? 1 : Math.max(3, Math.round((count / max) * height));
      return `M${day * step} ${height}v${-bar}h${barWidth}v${bar}z`;
    })
    .join('');
}

import { Code, List, Text } from '@mantine/core';
import { formatNumber } from '../../components/format.ts';
import type { Key } from './change.ts';

/** The maximum number of names, because a longer list would slow down the page. */
const maxNames = 200;

type Named = Pick<Key, 'id' | 'name' | 'prefix'>;

interface Props<T extends Named> {
  readonly label: string;
  readonly intro?: string;
  readonly keys: readonly T[];
  readonly note: (key: T) => string | null;
}

export function KeyNames<T extends Named>({ label, intro, keys, note }: Props<T>) {
  if (keys.length === 0) return null;
  return (
    <>
      {intro !== undefined && <Text size="sm">{intro}</Text>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a focus, the keyboard can't scroll it. */}
      <section aria-label={label} tabIndex={0} style={{ maxHeight: 220, overflow: 'auto' }}>
        <List size="sm">
          {keys.slice(0, maxNames).map((key) => {
            const text = note(key);
            return (
              <List.Item key={key.id} className="breakable">
                {key.name} <Code>{key.prefix}</Code>
                {text !== null && `: ${text}`}
              </List.Item>
            );
          })}
        </List>
        {keys.length > maxNames && <Text size="sm">and {formatNumber(keys.length - maxNames)} more</Text>}
      </section>
    </>
  );
}

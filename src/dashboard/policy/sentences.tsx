import { List } from '@mantine/core';

/** Rules of a policy, as `rulesInWords` has them. */
export function Sentences({ sentences }: { readonly sentences: readonly { readonly text: string }[] }) {
  return (
    <List size="sm">
      {sentences.map(({ text }) => (
        <List.Item key={text} className="breakable">
          {text}
        </List.Item>
      ))}
    </List>
  );
}

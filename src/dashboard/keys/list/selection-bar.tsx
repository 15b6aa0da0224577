import { Button, Group, Text } from '@mantine/core';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { formatCount } from '../../components/format.ts';
import type { ChangeKind } from '../changes/change.ts';
import type { Selection } from './selection.ts';

interface Props {
  readonly selection: Selection;
  readonly total: number;
  readonly totalIsPartial: boolean;
  readonly change: (kind: ChangeKind) => void;
}

const buttons: readonly { readonly kind: ChangeKind; readonly label: string }[] = [
  { kind: 'tag', label: 'Tag…' },
  { kind: 'renew', label: 'Renew…' },
  { kind: 'enable', label: 'Enable…' },
  { kind: 'disable', label: 'Disable…' },
  { kind: 'revoke', label: 'Revoke…' },
];

export function SelectionBar({ selection: { ids, all, selectAll, clear }, total, totalIsPartial, change }: Props) {
  const count = all ? total : ids.size;
  if (count === 0) return null;
  return (
    <Group component="section" gap="xs" aria-label="Selected keys">
      <Text size="sm" fw={600} role="status">
        {formatCount(count, all && totalIsPartial)} selected
      </Text>
      {buttons.map(({ kind, label }) => (
        <Button
          key={kind}
          size="compact-sm"
          {...(kind === 'revoke' ? { color: 'red' } : { variant: 'default' })}
          onClick={() => change(kind)}
        >
          {label}
        </Button>
      ))}
      {(all || count < total) && (
        <FocusableButton size="compact-sm" variant="subtle" disabled={all} onClick={selectAll}>
          Select all {formatCount(total, totalIsPartial)}
        </FocusableButton>
      )}
      <Button size="compact-sm" variant="subtle" onClick={clear}>
        Clear the selection
      </Button>
    </Group>
  );
}

import { ActionIcon, type ActionIconProps, type ElementProps } from '@mantine/core';
import { Ellipsis } from '../components/icons.tsx';

interface Props extends ActionIconProps, ElementProps<'button', keyof ActionIconProps> {
  readonly name: string;
}

export function RowMenuButton({ name, ...rest }: Props) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-haspopup="menu" aria-label={`Actions for ${name}`} {...rest}>
      <Ellipsis size={18} />
    </ActionIcon>
  );
}

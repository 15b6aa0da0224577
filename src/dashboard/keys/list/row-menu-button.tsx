import type { ComponentPropsWithRef } from 'react';
import { Ellipsis } from '../../components/icons.tsx';

interface Props extends ComponentPropsWithRef<'button'> {
  readonly name: string;
}

/** A plain button: there is one in each row. */
export function RowMenuButton({ name, ...rest }: Props) {
  return (
    <button type="button" className="row-menu" aria-haspopup="menu" aria-label={`Actions for ${name}`} {...rest}>
      <Ellipsis size={18} />
    </button>
  );
}

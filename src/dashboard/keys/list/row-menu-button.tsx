import type { ComponentPropsWithRef } from 'react';
import { Ellipsis } from '../../components/icons.tsx';
import type { KeyRowFragment } from '../../generated/graphql.ts';
import type { ChangeKind } from '../changes/change.ts';

export interface RowActions {
  /** Renews the key. If the key has expired, asks for a confirmation first. */
  readonly renew: (key: KeyRowFragment) => void;
  readonly enable: (key: KeyRowFragment) => void;
  readonly confirm: (kind: ChangeKind, key: KeyRowFragment) => void;
}

interface Props extends ComponentPropsWithRef<'button'> {
  readonly name: string;
}

/** A plain element, because each row has a button and Mantine's buttons take longer to draw. */
export function RowMenuButton({ name, ...rest }: Props) {
  return (
    <button
      type="button"
      className="row-menu"
      // The arrow keys reach it (`row-keys.ts`).
      tabIndex={-1}
      aria-haspopup="menu"
      aria-label={`Actions for ${name}`}
      {...rest}
    >
      <Ellipsis size={18} />
    </button>
  );
}

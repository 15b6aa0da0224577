import type { MouseEvent } from 'react';
import { useAtNow } from '../../components/clock.ts';
import { hasExpired, isExpiring } from '../../key-form/expiry.ts';
import type { Key } from '../list/columns.tsx';
import { useIsQuickChanging } from './quick-change.ts';

interface Props {
  readonly apiKey: Key;
  readonly renew: (key: Key) => void;
  /** -1 in rows that are one stop of the Tab key. */
  readonly tabIndex?: -1;
}

/** With one click, extends a key that expires soon. For an expired key, asks first, because the key would work again. */
export function RenewButton({ apiKey, renew, tabIndex }: Props) {
  const label = useAtNow((now) => isExpiring(apiKey, now) && (hasExpired(apiKey, now) ? 'Renew…' : 'Renew'));
  const isChanging = useIsQuickChanging();
  if (label === false) return null;
  const click = ({ currentTarget }: MouseEvent) => {
    if (isChanging) return;
    // The button disappears when the key is renewed, so the link in the same row or list item takes the focus.
    currentTarget.closest('tr, li')?.querySelector('a')?.focus();
    renew(apiKey);
  };
  return (
    <button
      type="button"
      className="renew"
      tabIndex={tabIndex}
      aria-label={`${label} ${apiKey.name}`}
      // Not `disabled`, so that the button keeps the focus.
      aria-disabled={isChanging}
      onClick={click}
    >
      {label}
    </button>
  );
}

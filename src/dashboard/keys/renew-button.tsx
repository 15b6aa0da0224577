import type { MouseEvent } from 'react';
import { useAtNow } from '../components/clock.ts';
import type { Key } from './columns.tsx';
import { hasExpired, isExpiring } from './renewal.ts';

/** Extends a key that expires soon, with one click. An expired key would work again, so `renew` asks before that. */
export function RenewButton({ apiKey, renew }: { readonly apiKey: Key; readonly renew: (key: Key) => void }) {
  const isOffered = useAtNow((now) => isExpiring(apiKey, now));
  const label = useAtNow((now) => (hasExpired(apiKey, now) ? 'Renew…' : 'Renew'));
  if (!isOffered) return null;
  const click = ({ currentTarget }: MouseEvent) => {
    // The button disappears when the key is renewed. The link to the key is in the same entry of a table or list.
    currentTarget.closest('tr, li')?.querySelector('a')?.focus();
    renew(apiKey);
  };
  return (
    <button type="button" className="renew" aria-label={`${label} ${apiKey.name}`} onClick={click}>
      {label}
    </button>
  );
}

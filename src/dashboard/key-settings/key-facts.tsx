/** Fields of a key that look the same on every page. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAtNow } from '../components/clock.ts';
import { Moment } from '../components/moment.tsx';
import type { KeyState } from '../generated/graphql.ts';
import { hasExpired, isExpiring } from './expiry.ts';
import './key-facts.css';

const colors = {
  green: '#237032',
  orange: '#b23c05',
  red: '#b3202a',
  gray: '#495057',
  purple: '#862e9c',
  yellow: '#f5a524',
};

interface BadgeProps {
  readonly color: keyof typeof colors;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A plain element, because hundreds of Mantine's badges in a table would slow down the page. */
export function Badge({ color, ...rest }: BadgeProps) {
  return <span className="badge" data-color={color} style={{ background: colors[color] }} {...rest} />;
}

/** Shows the expiry. Marks keys that expire soon, except revoked keys, and not by color alone. */
export function ExpiryText({ expiresAt, state }: { readonly expiresAt: string | null; readonly state?: KeyState }) {
  const isSoon = useAtNow((now) => isExpiring({ expiresAt, state }, now) && !hasExpired({ expiresAt }, now));
  if (expiresAt === null)
    return (
      <Text size="sm" c="dimmed">
        never
      </Text>
    );
  if (!isSoon) return <Moment at={expiresAt} />;
  return (
    <span className="expires-soon" title="Expires soon">
      <Moment at={expiresAt} />
    </span>
  );
}

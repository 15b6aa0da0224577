import { Text } from '@mantine/core';
import { useAtNow } from '../components/clock.ts';
import { Moment } from '../components/moment.tsx';
import type { KeyState } from '../generated/graphql.ts';
import { hasExpired, isExpiring } from './expiry.ts';

/** Shows the expiry. Marks keys that expire soon, except revoked keys, and not by color alone. */
export function ExpiryText({ expiresAt, state }: { readonly expiresAt: string | null; readonly state: KeyState }) {
  const isSoon = useAtNow((now) => isExpiring({ expiresAt, state }, now) && !hasExpired({ expiresAt }, now));
  if (expiresAt === null)
    return (
      <Text size="sm" c="dimmed">
        never
      </Text>
    );
  if (!isSoon) return <Moment at={expiresAt} />;
  return (
    <Text span inherit fw={600} c="var(--attention)" title="Expires soon">
      <Moment at={expiresAt} />
    </Text>
  );
}

/** Fields of a key that look the same on every page. */
import { Badge, Text } from '@mantine/core';
import type { KeyEnv, KeyState } from '../generated/graphql.ts';
import { expiringSoonDays } from '../keys/key-filter.ts';
import { useAtNow } from './clock.ts';
import { Moment } from './moment.tsx';

const stateColors: Readonly<Record<KeyState, string>> = {
  ACTIVE: '#237032',
  EXPIRED: 'orange.9',
  DISABLED: 'red.9',
  REVOKED: 'gray.7',
};

interface StateProps {
  /** As the server returned it. */
  readonly state: KeyState;
  readonly expiresAt?: string | null | undefined;
}

/** The state at the current time: an active key becomes expired while it is shown. */
export function StateBadge({ state, expiresAt }: StateProps) {
  const expiry = expiresAt == null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  const current = useAtNow((now) => (state === 'ACTIVE' && expiry <= now ? 'EXPIRED' : state));
  return (
    <Badge color={stateColors[current]} variant="filled" tt="lowercase" miw="max-content">
      {current}
    </Badge>
  );
}

export function EnvBadge({ env }: { readonly env: KeyEnv }) {
  return (
    <Badge color={env === 'live' ? 'grape.9' : 'gray.7'} variant="filled" tt="none" miw="max-content">
      {env}
    </Badge>
  );
}

const soonMs = expiringSoonDays * 86_400_000;

/** Highlights keys that expire soon, and not by color alone. A revoked key no longer expires. */
export function ExpiryText({ expiresAt, state }: { readonly expiresAt: string | null; readonly state?: KeyState }) {
  const expiry = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  const isSoon = useAtNow((now) => state !== 'REVOKED' && expiry > now && expiry <= now + soonMs);
  if (expiresAt === null)
    return (
      <Text size="sm" c="dimmed">
        never
      </Text>
    );
  if (!isSoon) return <Moment at={expiresAt} />;
  return (
    <Badge color="yellow" variant="filled" tt="none" title="Expires soon">
      <Moment at={expiresAt} />
    </Badge>
  );
}

/** Fields of a key that look the same on every page. */
import { Badge, Text } from '@mantine/core';
import type { KeyEnv, KeyState } from '../generated/graphql.ts';
import { expiringSoonDays } from '../keys/key-query.ts';
import { Moment } from './moment.tsx';

const stateColors: Readonly<Record<KeyState, string>> = {
  ACTIVE: '#237032',
  EXPIRED: 'orange.9',
  DISABLED: 'red.9',
  REVOKED: 'gray.7',
};

export function StateBadge({ state }: { readonly state: KeyState }) {
  return (
    <Badge color={stateColors[state]} variant="filled" tt="lowercase" miw="max-content">
      {state}
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

/** Highlights keys that expire soon, and not by color alone. */
export function ExpiryText({ expiresAt }: { readonly expiresAt: string | null }) {
  if (expiresAt === null)
    return (
      <Text size="sm" c="dimmed">
        never
      </Text>
    );
  const left = new Date(expiresAt).getTime() - Date.now();
  if (left < 0 || left > soonMs) return <Moment at={expiresAt} />;
  return (
    <Badge color="yellow" variant="filled" tt="none" title="Expires soon">
      <Moment at={expiresAt} />
    </Badge>
  );
}

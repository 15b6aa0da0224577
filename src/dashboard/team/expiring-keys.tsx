import { Alert, List, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dayMs } from '../../domain/moment.ts';
import { execute } from '../api/execute.ts';
import { useAtNow } from '../components/clock.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.ts';
import { TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { KeyListDocument } from '../generated/graphql.ts';
import { expiringSoonDays, hasExpired } from '../key-form/expiry.ts';
import { RenewButton } from '../keys/changes/renew-button.tsx';
import type { ListLink } from '../keys/filter/key-query.ts';
import type { Key } from '../keys/list/columns.tsx';
import { useMay } from '../session/viewer.ts';

interface Props {
  readonly teamId: string;
  readonly count: number;
  readonly at: string;
  readonly list: ListLink;
  readonly renew: (key: Key) => void;
}

const shown = 5;
const soonMs = expiringSoonDays * dayMs;

export function ExpiringKeys({ teamId, count, at, list, renew }: Props) {
  const { data, error } = useQuery({
    queryKey: ['keys', teamId, 'expiring', at],
    queryFn: async ({ signal }) => {
      const expiresBefore = new Date(Date.parse(at) + soonMs).toISOString();
      const filter = { state: ['ACTIVE' as const], expiresAfter: at, expiresBefore };
      const orderBy = { field: 'EXPIRES_AT' as const, direction: 'ASC' as const };
      return (await execute(KeyListDocument, { teamId, first: shown, filter, orderBy }, signal)).keys.nodes;
    },
    // `at` changes with each reload. The previous keys stay until the new list has loaded.
    placeholderData: keepPreviousData,
  });
  const mayManage = useMay('manage_keys', teamId);
  const title = `${count === 1 ? 'A key expires' : `${formatNumber(count)} keys expire`} within ${expiringSoonDays} days`;
  return (
    <Alert color="yellow" title={title} role="status">
      <Text size="sm">Requests with an expired key are rejected. Renew the keys that are still needed.</Text>
      {error !== null && <ErrorNotice error={error} />}
      <List size="sm" my="xs">
        {data?.map((key) => (
          <List.Item key={key.id} className="breakable">
            <ExpiringKey teamId={teamId} apiKey={key} renew={mayManage ? renew : undefined} />
          </List.Item>
        ))}
      </List>
      <TextLink {...list} inherit={false} size="sm" c="var(--mantine-color-text)">
        List all keys that expire soon
      </TextLink>
    </Alert>
  );
}

interface KeyProps {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly renew: ((key: Key) => void) | undefined;
}

function ExpiringKey({ teamId, apiKey, renew }: KeyProps) {
  const { id, name, expiresAt } = apiKey;
  const isOver = useAtNow((now) => hasExpired(apiKey, now));
  return (
    <>
      <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: id }} c="var(--mantine-color-text)">
        {name}
      </TextLink>{' '}
      {expiresAt != null && <Moment at={expiresAt} />}{' '}
      {renew !== undefined && !isOver && <RenewButton apiKey={apiKey} renew={renew} />}
    </>
  );
}

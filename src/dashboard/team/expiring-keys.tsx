/** A warning that names the keys which expire first. */
import { Alert, Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { execute } from '../api/execute.ts';
import { keyList } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.ts';
import { Moment } from '../components/moment.tsx';

interface Props {
  readonly teamId: string;
  readonly count: number;
  /** The time of the count. */
  readonly at: string;
  /** The address of the list of all of them. */
  readonly list: string;
}

const shown = 5;
const soonMs = 14 * 86_400_000;

export function ExpiringKeys({ teamId, count, at, list }: Props) {
  const { data, error } = useQuery({
    queryKey: ['keys', teamId, 'expiring', at],
    queryFn: async ({ signal }) => {
      const expiresBefore = new Date(Date.parse(at) + soonMs).toISOString();
      const filter = { state: ['ACTIVE' as const], expiresAfter: at, expiresBefore };
      const orderBy = { field: 'EXPIRES_AT' as const, direction: 'ASC' as const };
      return (await execute(keyList, { teamId, first: shown, filter, orderBy }, signal)).keys.nodes;
    },
  });
  const title = count === 1 ? 'A key expires within 14 days' : `${formatNumber(count)} keys expire within 14 days`;
  return (
    <Alert color="yellow" title={title} role="status">
      <Text size="sm">Requests with an expired key are rejected. Renew the keys that are still needed.</Text>
      {error !== null && <ErrorNotice error={error} />}
      <List size="sm" my="xs">
        {data?.map(({ id, name, expiresAt }) => (
          <List.Item key={id} className="breakable">
            <Anchor
              component={Link}
              to={`/teams/${teamId}/keys/${id}`}
              size="sm"
              underline="always"
              c="var(--mantine-color-text)"
            >
              {name}
            </Anchor>{' '}
            {expiresAt != null && <Moment at={expiresAt} />}
          </List.Item>
        ))}
      </List>
      <Anchor component={Link} to={list} size="sm" underline="always" c="var(--mantine-color-text)">
        List all keys that expire soon
      </Anchor>
    </Alert>
  );
}

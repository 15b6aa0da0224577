import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limits } from '../../domain/limits.ts';
import { DataTable } from '../components/data-table.tsx';
import { ButtonLink, TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { QueryView } from '../components/query-view.tsx';
import { Section } from '../components/section.tsx';
import { KeyStateDot } from '../components/state-dot.tsx';
import { ExpiryText } from '../key-form/expiry-text.tsx';
import { type ManagementKey, managementKeysOf, permissionsIn } from './access.ts';

interface Props {
  readonly teamId: string;
}

export function ManagementKeys({ teamId }: Props) {
  const query = useQuery(managementKeysOf(teamId));
  return (
    <Section title="Management keys">
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <Text size="sm" role="status">
              This team has no management keys yet. With one, a backend creates keys for its customers: it needs no
              session, and works until it expires or is revoked. A team can have {limits.managementKeys}.
            </Text>
          ) : (
            <DataTable
              label="Management keys"
              rows={keys}
              idOf={({ id }) => id}
              columns={[
                { name: 'Name', cell: (managementKey) => <Name teamId={teamId} managementKey={managementKey} /> },
                { name: 'State', cell: ({ state, expiresAt }) => <KeyStateDot state={state} expiresAt={expiresAt} /> },
                { name: 'Permissions', cell: ({ permissions }) => permissionsIn(permissions) },
                { name: 'Usable from', cell: ({ allowedIps }) => <Sources allowedIps={allowedIps} /> },
                { name: 'Last used', cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> },
                { name: 'Expires', cell: ({ expiresAt, state }) => <ExpiryText expiresAt={expiresAt} state={state} /> },
              ]}
            />
          )
        }
      </QueryView>
      <Group>
        <ButtonLink to="/teams/$teamId/access/keys/new" params={{ teamId }}>
          Create a management key
        </ButtonLink>
      </Group>
    </Section>
  );
}

function Name({ teamId, managementKey: { id, name, prefix } }: Props & { readonly managementKey: ManagementKey }) {
  return (
    <>
      <TextLink
        to="/teams/$teamId/access/keys/$managementKeyId"
        params={{ teamId, managementKeyId: id }}
        className="breakable"
      >
        {name}
      </TextLink>
      <Text size="xs" c="dimmed" className="breakable">
        {prefix}
      </Text>
    </>
  );
}

function Sources({ allowedIps }: Pick<ManagementKey, 'allowedIps'>) {
  const [first, ...others] = allowedIps;
  if (first === undefined) return 'everywhere';
  return (
    <span className="breakable" title={allowedIps.join('\n')}>
      {first}
      {others.length > 0 && ` and ${others.length} more`}
    </span>
  );
}

export function LastUse({ at }: { readonly at: string | null }) {
  if (at !== null) return <Moment at={at} />;
  return (
    <Text span size="sm" c="dimmed">
      never
    </Text>
  );
}

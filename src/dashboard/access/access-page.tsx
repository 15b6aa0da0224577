import { Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { ManagementKeys } from './management-keys.tsx';
import { TrustRules } from './trust-rules.tsx';

/** The programs that manage the keys of the team. `key` shows no data of another team. */
export function AccessPage() {
  const { teamId } = useParams({ from: '/teams/$teamId/access' });
  return (
    <RequirePermission permission="manage_access" teamId={teamId}>
      <Page title="Access">
        <Text size="sm">Programs that manage the keys of the team. A program can never let in another one.</Text>
        <ManagementKeys key={`keys ${teamId}`} teamId={teamId} />
        <TrustRules key={`rules ${teamId}`} teamId={teamId} />
      </Page>
    </RequirePermission>
  );
}

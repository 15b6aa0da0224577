import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/links.tsx';
import { menuOnDemand } from '../../components/menu-on-demand.tsx';
import { RequirePermission } from '../../components/require-permission.tsx';
import { useMay } from '../../session/viewer.ts';
import { KeyFilters } from '../filter/key-filters.tsx';
import { type KeyQuery, useKeyQuery } from '../filter/key-query.ts';
import { maxNameLength } from '../filter/saved-views.ts';
import { FirstStepsOfTeam } from './empty-list.tsx';
import { KeyList } from './key-list.tsx';
import './keys.css';

export function KeysPage() {
  const { teamId = '' } = useParams({ strict: false });
  // `key` resets the page when the team changes, so that typed text and selected keys are not kept.
  return <KeysOfTeam key={teamId} teamId={teamId} />;
}

function KeysOfTeam({ teamId }: { readonly teamId: string }) {
  const query = useKeyQuery();
  const mayView = useMay('view_team', teamId);
  const mayManage = useMay('manage_keys', teamId);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="xs" align="baseline">
          <Title order={1} size="h2">
            Keys
          </Title>
          {query.chosen.view !== '' && (
            <Text className="breakable" c="dimmed">
              View: {query.chosen.view.slice(0, maxNameLength)}
            </Text>
          )}
        </Group>
        <Group gap="xs">
          {mayView && <Options teamId={teamId} query={query} />}
          {mayManage && (
            <ButtonLink to="/teams/$teamId/keys/new" params={{ teamId }}>
              Create a key
            </ButtonLink>
          )}
        </Group>
      </Group>
      <RequirePermission permission="view_team" teamId={teamId}>
        <FirstStepsOfTeam teamId={teamId} />
        <KeyFilters query={query} />
        <KeyList teamId={teamId} query={query} mayManage={mayManage} />
      </RequirePermission>
    </Stack>
  );
}

const Options = menuOnDemand<{ readonly teamId: string; readonly query: KeyQuery }>(
  async () => (await import('./list-menu.tsx')).ListMenu,
  ({ open }) => (
    <Button variant="default" aria-haspopup="menu" onClick={open}>
      Options
    </Button>
  ),
);

import {
  ActionIcon,
  AppShell,
  Button,
  Group,
  Menu,
  NativeSelect,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';

import { NavLink, useMatches, useNavigate, useParams } from 'react-router';
import { queryClient } from './api/query-client.ts';
import { KeyRound, Moon, Sun, User } from './components/icons.tsx';
import { Moment } from './components/moment.tsx';
import { signOut, useSession } from './session/session.ts';
import { expiryOf } from './session/token.ts';
import { firstTeam, type Viewer } from './session/viewer.ts';

export function Header({ viewer }: { readonly viewer: Viewer | undefined }) {
  return (
    <AppShell.Header px="md">
      <Group h={52} justify="space-between" wrap="nowrap">
        <Group gap={6} wrap="nowrap">
          <KeyRound size={22} />
          <Text fw={700}>Latchkey</Text>
        </Group>
        <Group gap="xs" wrap="nowrap">
          <ColorScheme />
          {viewer !== undefined && <SessionMenu subject={viewer.subject} />}
        </Group>
      </Group>
      {viewer !== undefined && <Navigation viewer={viewer} />}
    </AppShell.Header>
  );
}

function Navigation({ viewer }: { readonly viewer: Viewer }) {
  const navigate = useNavigate();
  const params = useParams();
  const teamId = params.teamId ?? firstTeam(viewer)?.id;
  const place = useMatches().at(-1)?.pathname.split('/')[3] ?? 'keys';
  if (teamId === undefined) return null;
  return (
    <Group component="nav" aria-label="Pages" h={48} gap={4} wrap="nowrap" justify="space-between">
      <Group gap={0} wrap="nowrap">
        {[
          ['keys', 'Keys'],
          ['overview', 'Overview'],
          ['try', 'Try a key'],
          ['audit', 'Audit'],
          ['import', 'Import'],
        ].map(([path = '', label]) => (
          <Button
            key={path}
            component={NavLink}
            to={`/teams/${teamId}/${path}`}
            variant={place === path ? 'light' : 'subtle'}
            color={place === path ? 'blue' : 'gray'}
            c="var(--mantine-color-text)"
            px="xs"
          >
            {label}
          </Button>
        ))}
      </Group>
      {viewer.teams.length > 1 && (
        <NativeSelect
          aria-label="Team"
          w={{ base: 96, sm: 340 }}
          value={teamId}
          data={viewer.teams.map(({ id }) => ({ value: id, label: id }))}
          onChange={({ currentTarget }) => navigate(`/teams/${currentTarget.value}/${place}`)}
        />
      )}
    </Group>
  );
}

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={dark ? 'Use light colors' : 'Use dark colors'}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <Sun size={18} /> : <Moon size={18} />}
    </ActionIcon>
  );
}

function SessionMenu({ subject }: { readonly subject: string }) {
  const { token } = useSession();
  const expiry = token === null ? null : expiryOf(token);
  const leave = () => {
    signOut();
    queryClient.clear();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="Session">
          <User size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {subject}
          {expiry !== null && (
            <>
              , signed in until <Moment at={expiry} />
            </>
          )}
        </Menu.Label>
        <Menu.Item onClick={leave}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

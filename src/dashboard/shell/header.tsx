import { ActionIcon, Button, Group, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Commands } from '../commands/commands.tsx';
import { KeyRound, Moon, Sun } from '../components/icons.tsx';
import { AnchorLink, ButtonLink } from '../components/links.tsx';
import { useLoaded } from '../components/loading/loaded.ts';
import { SessionButton } from '../session/session-button.tsx';
import { firstTeam, teamLabel, type Viewer, type ViewerTeam } from '../session/viewer.ts';
import { pagesOf } from './navigation.ts';

export function Header({ viewer }: { readonly viewer: Viewer | undefined }) {
  const team = useTeam(viewer);
  return (
    <header className="header">
      <Group h={52} wrap="nowrap" gap="xs">
        <AnchorLink to="/" c="var(--mantine-color-text)" aria-label="Latchkey" underline="never">
          <Group gap={6} wrap="nowrap">
            <KeyRound size={22} />
            <Text fw={700} visibleFrom="xs">
              Latchkey
            </Text>
          </Group>
        </AnchorLink>
        <Group flex={1} miw={0} justify="center">
          {viewer !== undefined && <Team viewer={viewer} />}
        </Group>
        {viewer !== undefined && <Commands viewer={viewer} teamId={team?.id} />}
        <ColorScheme />
        {viewer !== undefined && <SessionButton subject={viewer.subject} />}
      </Group>
      {team !== undefined && <Navigation team={team} />}
    </header>
  );
}

/** Returns the team of the page, or the first team if the page belongs to none of the user's teams. */
function useTeam(viewer: Viewer | undefined): ViewerTeam | undefined {
  const { teamId } = useParams({ strict: false });
  if (viewer === undefined) return undefined;
  return viewer.teams.find(({ id }) => id === teamId) ?? firstTeam(viewer);
}

const loadTeamSwitcher = async () => (await import('../session/team-switcher.tsx')).TeamSwitcher;

/** The team of the page. The switcher loads only for users with several teams. */
function Team({ viewer }: { readonly viewer: Viewer }) {
  const { teamId } = useParams({ strict: false });
  const hasSeveral = viewer.teams.length > 1;
  const { part: TeamSwitcher, failed, retry } = useLoaded(loadTeamSwitcher, hasSeveral);
  // Undefined if the page belongs to none of the user's teams.
  const team = viewer.teams.find(({ id }) => id === teamId);
  if (TeamSwitcher !== undefined && hasSeveral) return <TeamSwitcher viewer={viewer} teamId={team?.id} />;
  if (failed) {
    return (
      <Button size="compact-sm" variant="default" onClick={retry}>
        Load the teams again
      </Button>
    );
  }
  if (team === undefined || (team.name == null && !hasSeveral)) return null;
  return <Text truncate>{teamLabel(team)}</Text>;
}

function Navigation({ team }: { readonly team: ViewerTeam }) {
  return (
    <Group component="nav" aria-label="Pages" mih={44} gap={0} pb={4}>
      {pagesOf(team).map(({ path, label }) => (
        <ButtonLink
          key={path}
          to={path}
          params={{ teamId: team.id }}
          activeProps={{ variant: 'light', color: 'blue' }}
          inactiveProps={{ variant: 'subtle', color: 'gray' }}
          c="var(--mantine-color-text)"
          px="xs"
        >
          {label}
        </ButtonLink>
      ))}
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

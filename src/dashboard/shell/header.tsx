import { ActionIcon, Button, Group, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link, useMatches, useParams } from '@tanstack/react-router';
import { Commands } from '../commands/commands.tsx';
import { KeyRound, Moon, Sun } from '../components/icons.tsx';
import { AnchorLink, docsAddress } from '../components/links.tsx';
import { useLoaded } from '../components/loading/loaded.ts';
import { SessionButton } from '../session/session-button.tsx';
import { firstTeam, teamLabel, type Viewer } from '../session/viewer.ts';
import { pagesOf, sectionOf } from './navigation.ts';

export function Header({ viewer }: { readonly viewer: Viewer }) {
  const { teamId } = useParams({ strict: false });
  const own = viewer.teams.find(({ id }) => id === teamId);
  // On a page that belongs to none of the user's teams, the links lead to the first team.
  const team = own ?? firstTeam(viewer);
  return (
    <header className="header">
      <AnchorLink to="/" c="var(--mantine-color-text)" aria-label="Latchkey" underline="never">
        <Group gap={6} wrap="nowrap">
          <KeyRound size={20} />
          <Text fw={700} visibleFrom="xs">
            Latchkey
          </Text>
        </Group>
      </AnchorLink>
      <div className="team">
        <Team viewer={viewer} teamId={own?.id} />
      </div>
      {team !== undefined && (
        <nav className="pages" aria-label="Pages">
          {pagesOf(team).map(({ path, label }) => (
            <Link key={path} to={path} params={{ teamId: team.id }}>
              {label}
              {path === '/teams/$teamId/webhooks' && <WebhooksMark teamId={team.id} />}
            </Link>
          ))}
        </nav>
      )}
      <Group gap={4} wrap="nowrap" ml="auto">
        <Commands viewer={viewer} teamId={team?.id} />
        <DocsLink />
        <ColorScheme />
        <SessionButton subject={viewer.subject} />
      </Group>
    </header>
  );
}

const loadWebhooksMark = async () => (await import('../webhooks/failing-webhooks.tsx')).WebhooksMark;

/** Loads after the page. Without it, the page of the webhooks and the overview still say which ones fail. */
function WebhooksMark({ teamId }: { readonly teamId: string }) {
  const { part: Mark } = useLoaded(loadWebhooksMark, true);
  return Mark === undefined ? null : <Mark teamId={teamId} />;
}

interface TeamProps {
  readonly viewer: Viewer;
  /** Undefined if the page belongs to none of the user's teams. */
  readonly teamId: string | undefined;
}

const loadTeamSwitcher = async () => (await import('../session/team-switcher.tsx')).TeamSwitcher;

/** The team of the page. The switcher loads only for users with several teams. */
function Team({ viewer, teamId }: TeamProps) {
  const hasSeveral = viewer.teams.length > 1;
  const { part: TeamSwitcher, failed, retry } = useLoaded(loadTeamSwitcher, hasSeveral);
  const team = viewer.teams.find(({ id }) => id === teamId);
  if (TeamSwitcher !== undefined && hasSeveral) return <TeamSwitcher viewer={viewer} teamId={teamId} />;
  if (failed) {
    return (
      <Button size="compact-sm" variant="default" onClick={retry}>
        Load the teams again
      </Button>
    );
  }
  if (team === undefined || (team.name == null && !hasSeveral)) return null;
  return (
    <Text truncate size="sm">
      {teamLabel(team)}
    </Text>
  );
}

/** Opens the section of the documents about the page. */
function DocsLink() {
  const section = useMatches({
    select: (matches) => {
      const page = matches.at(-1);
      return sectionOf(page?.routeId ?? '', tabIn(page?.search));
    },
  });
  return (
    <ActionIcon
      component="a"
      href={docsAddress(section)}
      target="_blank"
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      size="lg"
      aria-label="Documentation of this page"
      title="Documentation of this page"
    >
      ?
    </ActionIcon>
  );
}

function tabIn(search: object | undefined): string | undefined {
  return search !== undefined && 'tab' in search ? String(search.tab) : undefined;
}

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      size="lg"
      aria-label={dark ? 'Use light colors' : 'Use dark colors'}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <Sun size={18} /> : <Moon size={18} />}
    </ActionIcon>
  );
}

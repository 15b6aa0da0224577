/** Chooses another team by name or id. Loaded on demand. */
import { type ComboboxItem, type OptionsFilter, Select, Stack, Text } from '@mantine/core';
import { useMatchRoute, useNavigate } from '@tanstack/react-router';
import { pagesOf } from '../shell/navigation.ts';
import './team-switcher.css';
import { teamLabel, type Viewer, type ViewerTeam } from './viewer.ts';

interface Props {
  readonly viewer: Viewer;
  /** Undefined if the page does not belong to a team of the user. */
  readonly teamId: string | undefined;
}

const maxShown = 50;

export function TeamSwitcher({ viewer, teamId }: Props) {
  const navigate = useNavigate();
  const isAt = useMatchRoute();
  const goTo = (team: ViewerTeam) => {
    const page = pagesOf(team).find(({ path }) => isAt({ to: path, fuzzy: true }));
    void navigate({ to: page?.path ?? '/teams/$teamId/keys', params: { teamId: team.id } });
  };
  return (
    <Select
      aria-label="Team"
      placeholder="Choose a team"
      flex={1}
      maw={340}
      miw={0}
      data={viewer.teams.map((team) => ({ value: team.id, label: teamLabel(team) }))}
      value={teamId ?? null}
      onChange={(id) => {
        const team = viewer.teams.find((team) => team.id === id);
        if (team !== undefined && id !== teamId) goTo(team);
      }}
      allowDeselect={false}
      searchable
      openOnFocus={false}
      onFocus={({ currentTarget }) => currentTarget.select()}
      filter={byNameOrId}
      limit={maxShown}
      // Enter chooses the first team found. With only one option, Mantine clears the choice of a fast typist.
      selectFirstOptionOnChange
      selectFirstOptionOnDropdownOpen
      nothingFoundMessage="No team has this name or id"
      renderOption={({ option }) => <Option {...option} />}
      // Keeps the list in the header. Users of screen readers rarely find elements outside of landmarks.
      comboboxProps={{ width: 'min(340px, calc(100vw - 32px))', position: 'bottom-start', withinPortal: false }}
      scrollAreaProps={{ type: 'auto' }}
    />
  );
}

const byNameOrId: OptionsFilter = ({ options, search, limit }) => {
  const wanted = search.trim().toLowerCase();
  return options
    .filter((option) => 'value' in option && `${option.label} ${option.value}`.toLowerCase().includes(wanted))
    .slice(0, limit);
};

function Option({ value, label }: ComboboxItem) {
  return (
    <Stack gap={0} miw={0} className="breakable">
      <Text size="sm">{label}</Text>
      {label !== value && (
        <Text size="xs" className="team-id">
          {value}
        </Text>
      )}
    </Stack>
  );
}

import { Group, Text } from '@mantine/core';
import { TextLink } from '../../components/links.tsx';
import { KeyStateDot } from '../../components/state-dot.tsx';
import { teamLabel, useViewer } from '../../session/viewer.ts';
import type { FoundKey } from './find-keys.ts';

interface Props {
  /** The team of the page: for keys of other teams, their team is named. */
  readonly teamId: string;
  readonly keys: readonly FoundKey[];
}

/** Links to keys that a search found, with what tells them apart. */
export function FoundKeys({ teamId, keys }: Props) {
  const { data: viewer } = useViewer();
  const teamOf = (key: FoundKey) => viewer?.teams.find(({ id }) => id === key.teamId);
  return keys.map((key) => {
    const team = key.teamId === teamId ? undefined : teamOf(key);
    return (
      <Group key={key.id} gap="xs">
        <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId: key.teamId, keyId: key.id }} className="breakable">
          {key.name}
        </TextLink>
        <Text span size="sm" c="dimmed" className="breakable">
          {key.prefix}
        </Text>
        <KeyStateDot state={key.state} expiresAt={key.expiresAt} />
        {team !== undefined && (
          <Text span size="sm" className="breakable">{`found in the team ${teamLabel(team)}`}</Text>
        )}
      </Group>
    );
  });
}

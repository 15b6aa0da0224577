import { Button, Group, Text } from '@mantine/core';
import { formatNumber } from '../components/format.ts';
import { TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { StateDot } from '../components/state-dot.tsx';
import { linkToList } from '../keys/filter/key-query.ts';
import { type Member, stateNames } from './members.ts';

/** What the user is asked about a member. */
export interface Asked {
  readonly what: 'hand-over' | 'remove';
  readonly member: Member;
}

interface Props {
  readonly member: Member;
}

/** Who left and is still responsible for keys needs attention. */
const looks = { ACTIVE: 'active', INACTIVE: 'expired', LEFT: 'disabled' } as const;

export function State({ member: { state, keyCount } }: Props) {
  const look = state === 'LEFT' && keyCount > 0 ? 'failing' : looks[state];
  return <StateDot kind={look}>{stateNames[state]}</StateDot>;
}

export function Seen({ member: { seenAt, leftAt } }: Props) {
  return (
    <>
      <Moment at={seenAt} />
      {leftAt !== null && (
        <Text size="xs" c="dimmed">
          left <Moment at={leftAt} />
        </Text>
      )}
    </>
  );
}

export function Keys({ teamId, member: { subject, keyCount } }: Props & { readonly teamId: string }) {
  if (keyCount === 0) return 'none';
  return (
    <TextLink {...linkToList(teamId, { responsible: subject })} aria-label={`${keyCount} keys of ${subject}`}>
      {formatNumber(keyCount)}
    </TextLink>
  );
}

export function Actions({ member, ask }: Props & { readonly ask: (asked: Asked) => void }) {
  const { subject, state, keyCount } = member;
  return (
    <Group gap="xs">
      {keyCount > 0 && (
        <Button
          size="xs"
          variant="default"
          aria-label={`Hand over the keys of ${subject}…`}
          onClick={() => ask({ what: 'hand-over', member })}
        >
          Hand over…
        </Button>
      )}
      {state !== 'LEFT' && (
        <Button
          size="xs"
          variant="default"
          aria-label={`Record that ${subject} has left…`}
          onClick={() => ask({ what: 'remove', member })}
        >
          Has left…
        </Button>
      )}
    </Group>
  );
}

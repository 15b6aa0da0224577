import { Code, List, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { TrailSearch } from '../../audit/trail-search.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatTime } from '../../components/format.ts';
import { TextLink } from '../../components/links.tsx';
import { Moment } from '../../components/moment.tsx';
import type { TeamTrailQuery } from '../../generated/graphql.ts';
import { actionNames, actorName } from './action-names.ts';
import { sentencesOf } from './changes-in-words.ts';
import { Subject } from './subject.tsx';

type Entry = TeamTrailQuery['auditLog']['nodes'][number];

interface Props {
  readonly entry: Entry;
  readonly teamId: string;
  /** The filter of the audit page. Undefined in the history of a key, whose entries are all about that key. */
  readonly search: TrailSearch | undefined;
}

/** An entry as a row, whose button shows the row with everything else about the entry. */
export function EntryRows({ entry, teamId, search }: Props) {
  const { action, keyId, keyName, source, at } = entry;
  const [opened, setOpened] = useState(false);
  const id = useId();
  const sentences = sentencesOf(entry);
  const actor = (
    <TextLink to="/teams/$teamId/audit" params={{ teamId }} search={{ ...search, actor: entry.actor }}>
      {actorName(entry)}
    </TextLink>
  );
  return (
    <Table.Tbody aria-label={actionNames[action]}>
      <Table.Tr>
        <Table.Td>
          <UnstyledButton
            fz="inherit"
            className="entry"
            aria-expanded={opened}
            aria-controls={id}
            onClick={() => setOpened(!opened)}
          >
            {actionNames[action]}
          </UnstyledButton>
        </Table.Td>
        {search !== undefined && (
          <Table.Td className="key">
            <Subject teamId={teamId} action={action} id={keyId} name={keyName} />
          </Table.Td>
        )}
        <Table.Td className="summary" c="dimmed" title={sentences.join('\n')}>
          {sentences.join('; ')}
        </Table.Td>
        <Table.Td className="actor">
          {actor} {source}
        </Table.Td>
        <Table.Td>
          <Moment at={at} />
        </Table.Td>
      </Table.Tr>
      <Table.Tr id={id} hidden={!opened}>
        <Table.Td>{opened && <Details entry={entry} actor={actor} sentences={sentences} />}</Table.Td>
      </Table.Tr>
    </Table.Tbody>
  );
}

interface DetailsProps extends Pick<Props, 'entry'> {
  readonly actor: ReactNode;
  readonly sentences: readonly string[];
}

function Details({ entry: { actorKind, source, requestId, at }, actor, sentences }: DetailsProps) {
  return (
    <Stack gap={4} pl="md" pb="xs">
      {sentences.length > 0 && (
        <List size="sm">
          {sentences.map((sentence) => (
            <List.Item key={sentence} className="breakable">
              {sentence}
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" className="breakable">
        {formatTime(new Date(at))} by{' '}
        {actorKind !== null && actorKind !== 'SYSTEM' && `${actorKind.toLowerCase().replace('_', ' ')} `}
        {actor}
        {source !== null && (
          <>
            {' '}
            from {source} <CopyButton what="the source" text={source} />
          </>
        )}
      </Text>
      <Text size="sm">
        Request <Code className="breakable">{requestId}</Code> <CopyButton what="the request id" text={requestId} />
      </Text>
    </Stack>
  );
}

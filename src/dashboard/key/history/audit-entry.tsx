import { Code, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Moment } from '../../components/moment.tsx';
import type { ActorKind, AuditAction, TeamTrailQuery } from '../../generated/graphql.ts';
import { inWords } from './changes-in-words.ts';

export type Entry = TeamTrailQuery['auditLog']['nodes'][number];

export const actionNames: Readonly<Record<AuditAction, string>> = {
  KEY_CREATED: 'Created',
  KEY_UPDATED: 'Changed',
  KEY_IMPORTED: 'Imported',
  KEY_REVOKED: 'Revoked',
  SIGNING_ENABLED: 'Signing enabled',
  SIGNING_ROTATED: 'Signing secret rotated',
  SIGNING_DISABLED: 'Signing disabled',
  KEY_ROTATED: 'Rotated',
  OVERLAP_ENDED: 'Overlap ended',
  KEY_DISABLED: 'Disabled',
  KEY_ENABLED: 'Enabled',
};

const actorKinds: Readonly<Record<ActorKind, string>> = {
  SESSION: 'session',
  KEY_HOLDER: 'key holder',
  OPERATOR: 'operator',
};

export function AuditEntryShown({ entry, children }: { readonly entry: Entry; readonly children?: ReactNode }) {
  const { action, actor, actorKind, source, requestId, at, changes } = entry;
  const sentences = inWords(changes);
  return (
    <Stack gap={4} component="article" aria-label={actionNames[action]}>
      <Text>
        <strong>{actionNames[action]}</strong> {children} <Moment at={at} /> by{' '}
        {actorKind !== null && `${actorKinds[actorKind]} `}
        <span className="breakable">{actor}</span>
        {source !== null && ` from ${source}`}
      </Text>
      {sentences.length > 0 && (
        <List size="sm">
          {sentences.map((sentence) => (
            <List.Item key={sentence} className="breakable">
              {sentence}
            </List.Item>
          ))}
        </List>
      )}
      <Text size="xs" c="dimmed">
        request <Code className="breakable">{requestId}</Code>
      </Text>
    </Stack>
  );
}

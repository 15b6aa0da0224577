import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { useIsPast } from '../../components/clock.ts';
import { Moment } from '../../components/moment.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Section } from '../../components/section.tsx';
import { KeyRotationDocument, type KeyRotationQuery } from '../../generated/graphql.ts';
import { Copyable } from '../../secrets/copyable.tsx';
import type { Key, PartProps } from '../key-change.ts';
import { SourceTable, UnlistedNotice } from '../sources/observed-sources.tsx';

/** Short, because the user watches this part until the last client uses the new secret. */
const pollMs = 5000;

/** Polls the use of the previous secret while `shown`. Updates the key of the whole page with each response. */
export function useOverlap({ id, previousPrefix }: Key, shown: boolean) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ['rotation', id],
    queryFn: async ({ signal }) => {
      const rotation = await execute(KeyRotationDocument, { keyId: id }, signal);
      const { secrets: _, ...apiKey } = rotation.key;
      queries.setQueryData(['key', id], apiKey);
      return rotation;
    },
    enabled: shown && previousPrefix !== null,
    refetchInterval: pollMs,
  });
}

export function lastUseOf(rotation: KeyRotationQuery | undefined): string | null {
  return rotation?.key.secrets.find(({ current }) => !current)?.lastUsedAt ?? null;
}

interface Props extends PartProps {
  readonly overlap: ReturnType<typeof useOverlap>;
}

/** Shows whether and from where the previous secret is still used, and until when previous secrets are accepted. */
export function PreviousSecret({ apiKey, editable, ask, overlap }: Props) {
  const { previousPrefix, previousSecretExpiresAt, previousSigningSecretExpiresAt, state } = apiKey;
  const until = useAcceptedUntil(previousSecretExpiresAt);
  const signingUntil = useAcceptedUntil(previousSigningSecretExpiresAt);
  const isDisabled = state === 'DISABLED';
  const hasPaused =
    state === 'EXPIRED' && [previousSecretExpiresAt, previousSigningSecretExpiresAt].some(endsWith(apiKey));
  const hasNone = previousPrefix === null && signingUntil === null;
  if (hasNone && editable) return null;
  return (
    <Section title="The previous secret">
      {hasNone && <Text size="sm">There is none.</Text>}
      {previousPrefix !== null && (
        <>
          <Copyable what="the previous prefix" text={previousPrefix} />
          <Text size="sm">
            {until === null ? (
              <EndedOverlap apiKey={apiKey} />
            ) : (
              <>
                {isDisabled ? 'Once the key is enabled, it is' : 'It is'} accepted beside the new one. It ends by itself{' '}
                <Moment at={until} />.
              </>
            )}
          </Text>
          <QueryView query={overlap}>{(rotation) => <LastUse rotation={rotation} />}</QueryView>
        </>
      )}
      {signingUntil !== null && (
        <Text size="sm">
          {isDisabled ? 'Once the key is enabled, the' : 'The'} previous signing secret is accepted too. It ends{' '}
          <Moment at={signingUntil} />.
        </Text>
      )}
      {editable && ((until ?? signingUntil) !== null || hasPaused) && (
        <Group>
          <Button variant="default" onClick={() => ask('endOverlap')}>
            End the overlap…
          </Button>
        </Group>
      )}
    </Section>
  );
}

function EndedOverlap({ apiKey }: { readonly apiKey: Key }) {
  if (apiKey.state === 'REVOKED') return 'It is not accepted, because the key is revoked.';
  return endsWith(apiKey)(apiKey.previousSecretExpiresAt)
    ? 'It is not accepted, because the key has expired. If you renew the key, its overlap may go on.'
    : 'It is not accepted anymore: requests with it get the verdict ROTATED.';
}

/** Returns whether an overlap ends at the expiry of the key, so that it may go on if that is moved. */
function endsWith({ expiresAt }: Key): (overlapEnd: string | null) => boolean {
  return (overlapEnd) => overlapEnd !== null && overlapEnd === expiresAt;
}

/** Returns until when a previous secret is accepted; null once that has passed. */
function useAcceptedUntil(until: string | null): string | null {
  return useIsPast(until) ? null : until;
}

function LastUse({ rotation }: { readonly rotation: KeyRotationQuery }) {
  const { rotatedAt } = rotation.key;
  const lastUsedAt = lastUseOf(rotation);
  const isUsedSince = lastUsedAt !== null && rotatedAt !== null && lastUsedAt > rotatedAt;
  const sources = rotation.observedSources.filter(({ secret }) => secret === 'PREVIOUS');
  const unlisted = rotation.unlistedSources.filter(({ secret }) => secret === 'PREVIOUS');
  return (
    <>
      <Alert role="status" color={isUsedSince ? 'yellow' : 'gray'} aria-label="Use of the previous secret">
        {lastUsedAt === null ? (
          'No client has used the previous secret successfully.'
        ) : isUsedSince ? (
          <>
            It was used after the rotation, last <Moment at={lastUsedAt} />. Some client still has it.
          </>
        ) : (
          <>
            It has not been used since the rotation. Last use: <Moment at={lastUsedAt} />.
          </>
        )}
      </Alert>
      {sources.length > 0 && (
        <SourceTable label="Sources of the previous secret" teamId={rotation.key.teamId} sources={sources} />
      )}
      <UnlistedNotice unlisted={unlisted}>Ask all clients of the key whether they have changed over.</UnlistedNotice>
      <Text size="xs" c="dimmed">
        This page checks every {pollMs / 1000} seconds. Sources arrive within about ten seconds.
      </Text>
    </>
  );
}

/** What the page says when an earlier attempt created a key, but its response was lost. */
import { Alert, Group, Text } from '@mantine/core';
import { ApiError } from '../../api/api-error.ts';
import { ButtonLink, TextLink } from '../../components/links.tsx';
import { useFirstFocus } from '../../components/use-first-focus.ts';
import { linkToList } from '../filter/key-query.ts';

export function isReused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED';
}

/** Replaces the form, so that no second key is created. */
export function AlreadyCreated({ teamId, keyId }: { readonly teamId: string; readonly keyId: string }) {
  const title = useFirstFocus<HTMLSpanElement>();
  return (
    <Alert
      color="yellow"
      role="alert"
      title={
        <span ref={title} tabIndex={-1} className="announced">
          The key was created, but its secret was not shown
        </span>
      }
    >
      <Text size="sm">
        The response to an earlier attempt was lost, and secrets can’t be read again. Rotate the key to get another
        secret, or revoke it. If its requests must be signed, rotate its signing secret too.
      </Text>
      <Group mt="sm">
        <ButtonLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId }} search={{ tab: 'rotation' }}>
          Open the key
        </ButtonLink>
      </Group>
    </Alert>
  );
}

/** Warns that an earlier attempt created a key, with the settings that the form had at that time. */
export function CreatedDifferently({ teamId }: { readonly teamId: string }) {
  return (
    <Alert color="yellow" role="alert" title="An earlier attempt created a key with other settings">
      <Text size="sm">
        Its response was lost, and so was the secret. Revoke that key: it is the newest one in the{' '}
        <TextLink {...linkToList(teamId, { sort: '-CREATED_AT' })}>list</TextLink>. Create now creates another one.
      </Text>
    </Alert>
  );
}

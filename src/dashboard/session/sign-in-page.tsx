import { Button, Center, Group, Loader, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { isUnauthenticated } from '../api/api-error.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Facts } from './session-offer.tsx';
import { SignInFailure } from './sign-in-failure.tsx';
import { SignInOptions } from './sign-in-options.tsx';
import { problemOfToken } from './token.ts';
import { enter, rejectOffer, useOfferedViewer } from './viewer.ts';

interface Props {
  readonly reason?: string | undefined;
  readonly children?: ReactNode;
}

export function SignInPage({ reason, children }: Props) {
  return (
    <Frame>
      {children}
      <SignInFailure />
      <SignInOptions reason={reason} />
    </Frame>
  );
}

function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p={{ base: 'md', xs: 'xl' }} w={440} maw="100%">
        <Title order={1} size="h3" mb="md">
          Sign in to Latchkey
        </Title>
        <Stack>{children}</Stack>
      </Paper>
    </Center>
  );
}

/**
 * Signs in with the token of an opened link, once the user agrees: a link of another person would make the user work in
 * that person's session, and for example enter keys there (login CSRF).
 */
export function SignInByLink({ token }: { readonly token: string }) {
  const { data, error: checkError, refetch, isFetching } = useOfferedViewer(token);
  const {
    submit,
    error: startError,
    isPending,
  } = useSubmit({
    mutationFn: async () => data && (await enter(token, data)),
  });
  const error = checkError ?? startError;
  const problem = problemOfToken(token) ?? (isUnauthenticated(error) ? error.message : null);
  if (problem !== null) return <SignInPage reason={`The link can’t sign you in. ${problem}`} />;
  if (error !== null)
    return (
      <SignInPage>
        <ErrorNotice error={error} retry={checkError === null ? () => submit() : refetch} retrying={isFetching} />
      </SignInPage>
    );
  // A minimal page, because a larger one would delay the next page.
  if (data === undefined)
    return (
      <Center component="main" mih="100vh">
        <VisuallyHidden component="h1">Sign in to Latchkey</VisuallyHidden>
        <Loader aria-label="Checking the token" />
      </Center>
    );
  return (
    <Frame>
      <Facts title={`Sign in as ${data.subject} to ${location.host}?`} viewer={data} />
      <Text size="sm" c="dimmed">
        Only with a link that you made or asked for: the person who made it may be able to see what you do.
      </Text>
      {/* The focus stays on the heading, so that a key that is pressed already does not sign in. */}
      <Group justify="flex-end">
        <Button variant="default" onClick={rejectOffer}>
          No
        </Button>
        <Button loading={isPending} onClick={() => submit()}>
          Yes, sign in
        </Button>
      </Group>
    </Frame>
  );
}

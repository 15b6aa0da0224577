import { Center, Loader, Paper, Stack, Title, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { isUnauthenticated } from '../api/api-error.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SignInFailure } from './sign-in-failure.tsx';
import { SignInOptions } from './sign-in-options.tsx';
import { problemOfToken } from './token.ts';
import { enter, useOfferedViewer } from './viewer.ts';

interface Props {
  readonly reason?: string | undefined;
  readonly children?: ReactNode;
}

export function SignInPage({ reason, children }: Props) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p={{ base: 'md', xs: 'xl' }} w={440} maw="100%">
        <Title order={1} size="h3" mb="md">
          Sign in to Latchkey
        </Title>
        <Stack>
          {children}
          <SignInFailure />
          <SignInOptions reason={reason} />
        </Stack>
      </Paper>
    </Center>
  );
}

/** Signs in with the token of an opened link, once the server has accepted it. */
export function SignInByLink({ token }: { readonly token: string }) {
  const { data, error: checkError, refetch, isFetching } = useOfferedViewer(token);
  const { submit, error: startError } = useSubmit({ mutationFn: async () => data && (await enter(token, data)) });
  useEffect(() => {
    if (data !== undefined) submit();
  }, [data, submit]);
  const error = checkError ?? startError;
  const problem = problemOfToken(token) ?? (isUnauthenticated(error) ? error.message : null);
  if (problem !== null) return <SignInPage reason={`The link can’t sign you in. ${problem}`} />;
  // A minimal page, because a larger one would delay the next page.
  if (error === null)
    return (
      <Center component="main" mih="100vh">
        <VisuallyHidden component="h1">Sign in to Latchkey</VisuallyHidden>
        <Loader aria-label="Checking the token" />
      </Center>
    );
  return (
    <SignInPage>
      <ErrorNotice error={error} retry={checkError === null ? () => submit() : refetch} retrying={isFetching} />
    </SignInPage>
  );
}

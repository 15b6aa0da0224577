/** Signs in with the token of an opened link, once the server has accepted it. */
import { Stack } from '@mantine/core';
import { useEffect } from 'react';
import { ApiError } from '../api/api-error.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { enter } from './enter.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignInFrame, SignInPage, SigningIn } from './sign-in-page.tsx';
import { problemOfToken } from './token.ts';
import { useOfferedViewer } from './viewer.ts';

export function SignInByLink({ token }: { readonly token: string }) {
  const problem = problemOfToken(token);
  const { data, error, refetch, isFetching } = useOfferedViewer(token);
  useEffect(() => {
    if (data !== undefined) enter(token, data);
  }, [token, data]);
  if (problem !== null) return <SignInPage reason={`The link can’t sign you in. ${problem}`} />;
  if (error === null) return <SigningIn />;
  if (error instanceof ApiError && error.code === 'UNAUTHENTICATED')
    return <SignInPage reason={`The link can’t sign you in. ${error.message}`} />;
  return (
    <SignInFrame>
      <Stack>
        <ErrorNotice error={error} retry={refetch} retrying={isFetching} />
        <SignInForm />
      </Stack>
    </SignInFrame>
  );
}

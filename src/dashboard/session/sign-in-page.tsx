import { Center, Loader, Paper, Title, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { SignInForm } from './sign-in-form.tsx';

/** @param reason why the user has to sign in, if it is not obvious */
export function SignInPage({ reason }: { readonly reason?: string }) {
  return (
    <SignInFrame>
      <SignInForm {...(reason === undefined ? {} : { reason })} />
    </SignInFrame>
  );
}

/** Shown while the server checks a token. Plain, because drawing more would delay the page after it. */
export function SigningIn() {
  return (
    <Center component="main" mih="100vh">
      <VisuallyHidden component="h1">Sign in to Latchkey</VisuallyHidden>
      <Loader aria-label="Checking the token" />
    </Center>
  );
}

export function SignInFrame({ children }: { readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p={{ base: 'md', xs: 'xl' }} w={440} maw="100%">
        <Title order={1} size="h3" mb="md">
          Sign in to Latchkey
        </Title>
        {children}
      </Paper>
    </Center>
  );
}

import { Center, Paper, Title } from '@mantine/core';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w={440} maw="100%">
        <Title order={1} size="h3" mb="md">
          Sign in to Latchkey
        </Title>
        <SignInForm />
      </Paper>
    </Center>
  );
}

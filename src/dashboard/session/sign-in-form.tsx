import { Alert, Code, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useSubmit } from '../api/use-submit.ts';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { Form, problemOf } from '../components/form/form.tsx';
import { SecretInput } from '../components/form/secret-input.tsx';
import { problemOfToken, tokenIn } from './token.ts';
import { enter, type Viewer, viewerOf } from './viewer.ts';

interface Props {
  readonly reason?: string | undefined;
  /** Called with a token that the server has accepted. By default, starts the session of the token. */
  readonly accept?: (token: string, viewer: Viewer) => void;
}

/** Asks for a session token, and checks it with the server before the session starts. */
export function SignInForm({ reason, accept = enter }: Props) {
  const [token, setToken] = useState('');
  const { submit, error, isPending } = useSubmit({
    mutationFn: check,
    onSuccess: (viewer, text) => {
      setToken('');
      accept(text, viewer);
    },
    // Does not cache the input, because it is a secret.
    gcTime: 0,
  });

  return (
    <Stack>
      <Form
        submit={() => submit(tokenIn(token))}
        error={error}
        fields={['token']}
        actions={
          <FocusableButton type="submit" fullWidth loading={isPending}>
            Sign in
          </FocusableButton>
        }
      >
        {reason !== undefined && <Alert role="status">{reason}</Alert>}
        <SecretInput
          what="token"
          label="Session token"
          description="A JWT that names your teams, or a sign-in link with one. It stays in this tab, until it is closed."
          data-autofocus
          autoFocus
          value={token}
          error={problemOf(error, 'token')}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </Form>
      <Text size="sm" c="dimmed">
        Tokens come from the identity provider that this service is configured for. If the service has a secret of its
        own, <Code>npm run -s token -- --team …</Code> prints a token on the machine that it runs on.
        docs/configuration.md describes both, under Session tokens.
      </Text>
    </Stack>
  );
}

async function check(token: string): Promise<Viewer> {
  const problem = problemOfToken(token);
  if (problem !== null) throw rejected(problem);
  try {
    return await viewerOf(token);
  } catch (error) {
    throw error instanceof ApiError && error.code === 'UNAUTHENTICATED' ? rejected(error.message) : error;
  }
}

function rejected(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', message, null, { errors: [{ field: 'token', message }] });
}

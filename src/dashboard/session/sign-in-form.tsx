import { Alert, Code, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FocusableButton } from '../components/focusable-button.tsx';
import { enter } from './enter.ts';
import { problemOfToken, tokenIn } from './token.ts';
import { type Viewer, viewerOf } from './viewer.ts';

interface Props {
  /** Why another token is needed. */
  readonly reason?: string;
  /** What to do with a token that the server has accepted. Default: starts its session. */
  readonly accept?: (token: string, viewer: Viewer) => void;
}

/** Asks for a session token, and checks it with the server before it becomes the session. */
export function SignInForm({ reason, accept = enter }: Props) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [trying, setTrying] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const text = tokenIn(token);
    const looks = problemOfToken(text);
    setProblem(looks);
    setError(null);
    if (looks !== null) return;
    setTrying(true);
    try {
      const viewer = await viewerOf(text);
      setToken('');
      accept(text, viewer);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') setProblem(error.message);
      else setError(error);
    } finally {
      setTrying(false);
    }
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {reason !== undefined && <Alert role="status">{reason}</Alert>}
        {error !== null && <ErrorNotice error={error} />}
        <PasswordInput
          label="Session token"
          description="A JWT that names your teams, or a sign-in link with one. It stays in this tab, until it is closed."
          data-autofocus
          autoFocus
          autoComplete="off"
          spellCheck={false}
          value={token}
          error={problem}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the token', tabIndex: 0 }}
        />
        <FocusableButton type="submit" loading={trying}>
          Sign in
        </FocusableButton>
        <Text size="sm" c="dimmed">
          Tokens come from the identity provider that this service is configured for. If the service has a secret of its
          own, <Code>npm run -s token -- --team …</Code> prints a token on the machine that it runs on.
          docs/configuration.md describes both, under Session tokens.
        </Text>
      </Stack>
    </form>
  );
}

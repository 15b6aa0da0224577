import { Code, Stack, Text } from '@mantine/core';
import { ApiError, isUnauthenticated } from '../api/api-error.ts';
import { Form } from '../components/form/form.tsx';
import { SecretInput } from '../components/form/secret-input.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { DocsTextLink } from '../components/links.tsx';
import { problemOfToken, tokenIn } from './token.ts';
import { enter, type Viewer, viewerOf } from './viewer.ts';

export type AcceptToken = (token: string, viewer: Viewer) => Promise<void>;

/** Asks for a session token, and checks whose it is before `accept` exchanges it for a session. */
export function SignInForm({ accept = enter }: { readonly accept?: AcceptToken | undefined }) {
  const { frame, getInputProps } = useServerForm({
    initialValues: { token: '' },
    send: async ({ token: pasted }) => {
      const token = tokenIn(pasted);
      await accept(token, await check(token));
    },
  });
  return (
    <Stack>
      <Form {...frame} submitLabel="Sign in">
        <SecretInput
          what="token"
          label="Session token"
          description="A JWT that names your teams, or a sign-in link with one. The browser does not keep it."
          data-autofocus
          autoFocus
          {...getInputProps('token')}
        />
      </Form>
      <Text size="sm" c="dimmed">
        On the machine of the service, <Code>npm run -s sign-in</Code> prints a link that signs in, unless an identity
        provider signs the tokens. <DocsTextLink section="sessionTokens">Session tokens</DocsTextLink> describes both.
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
    throw isUnauthenticated(error) ? rejected(error.message) : error;
  }
}

function rejected(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', message, null, { errors: [{ field: 'token', message }] });
}

import { Alert, Code, Group, Text } from '@mantine/core';
import { ApiError } from '../api/api-error.ts';
import { CodeLink } from './code-link.tsx';
import { FocusableButton } from './form/focusable-button.tsx';

interface Props {
  readonly error: unknown;
  readonly retry?: () => unknown;
  readonly retrying?: boolean;
}

const ownError = 'DASHBOARD';

/** Shows an error with the id of the request in the server's log. */
export function ErrorNotice({ error, retry, retrying = false }: Props) {
  const known = error instanceof ApiError ? error : new ApiError(ownError, String(error), null);
  return (
    <Alert color="red" title={known.message} role="alert">
      {known.fields.map(({ field, message }) => (
        <Text key={field + message} size="sm">
          {field} {message}
        </Text>
      ))}
      <Group gap="xs">
        <Text size="sm">
          {known.code === ownError ? <Code>{known.code}</Code> : <CodeLink code={known.code} />}
          {known.requestId !== null && (
            <>
              {' '}
              in request <Code className="breakable">{known.requestId}</Code>
            </>
          )}
        </Text>
        {retry !== undefined && (
          <FocusableButton size="compact-sm" variant="default" loading={retrying} onClick={() => retry()}>
            Try again
          </FocusableButton>
        )}
      </Group>
    </Alert>
  );
}

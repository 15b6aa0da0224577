import { Alert, Button, Code, Group, Paper, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { createKey } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { ExpiryInput } from '../components/expiry-input.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import type { CreateKeyMutation, KeyEnv } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';
import { verifyCommand } from './verify-command.ts';

interface Wish {
  readonly name: string;
  readonly env: KeyEnv;
  readonly expiresAt: Date | null;
}

export function CreateKeyPage() {
  const { teamId = '' } = useParams();
  const mayManage = useMay('manage_keys', teamId);
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: async ({ name, env, expiresAt }: Wish) => {
      const input = { teamId, name, env, expiresAt: expiresAt?.toISOString() ?? null };
      return (await execute(createKey, { input })).createKey;
    },
    onSuccess: () => queries.invalidateQueries(),
    // The response contains the secret: it is deleted from the cache when the user leaves the page.
    gcTime: 0,
  });
  if (!mayManage) {
    return (
      <Alert title="Not for this session" role="status">
        Your session token does not grant manage_keys on this team.
      </Alert>
    );
  }
  return (
    <Stack maw={760}>
      <Title order={1} size="h2">
        Create a key
      </Title>
      {creation.data === undefined ? (
        <WishForm teamId={teamId} error={creation.error} pending={creation.isPending} create={creation.mutate} />
      ) : (
        <Created teamId={teamId} created={creation.data} />
      )}
    </Stack>
  );
}

interface FormProps {
  readonly teamId: string;
  readonly error: unknown;
  readonly pending: boolean;
  readonly create: (wish: Wish) => void;
}

function WishForm({ teamId, error, pending, create }: FormProps) {
  const form = useForm<Wish>({
    initialValues: { name: '', env: 'live', expiresAt: null },
    validate: {
      name: (name) => (name.trim() === '' ? 'A key needs a name, so that people know what it is for.' : null),
      expiresAt: (at) => (at !== null && at.getTime() <= Date.now() ? 'It must be in the future.' : null),
    },
  });
  const problems = error instanceof ApiError ? error.fields : [];
  const problemOf = (field: string) => problems.find((problem) => problem.field.endsWith(field))?.message;
  return (
    <Paper component="form" withBorder p="md" onSubmit={form.onSubmit(create)} noValidate>
      <Stack>
        {error != null && problems.length === 0 && <ErrorNotice error={error} />}
        <TextInput
          label="Name"
          description="A label for people, up to 100 characters."
          maxLength={100}
          withAsterisk
          required
          data-autofocus
          {...form.getInputProps('name')}
          error={form.errors.name ?? problemOf('name')}
        />
        <Radio.Group label="Environment" description="It never changes." {...form.getInputProps('env')}>
          <Group mt="xs">
            <Radio value="live" label="live" />
            <Radio value="test" label="test" />
          </Group>
        </Radio.Group>
        <ExpiryInput
          value={form.values.expiresAt}
          onChange={(at) => form.setFieldValue('expiresAt', at)}
          error={form.errors.expiresAt ?? problemOf('expiresAt')}
        />
        <Group>
          <Button type="submit" loading={pending}>
            Create
          </Button>
          <Button variant="default" component={Link} to={`/teams/${teamId}/keys`}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function Created({ teamId, created }: { readonly teamId: string; readonly created: CreateKeyMutation['createKey'] }) {
  const navigate = useNavigate();
  const { apiKey, secret } = created;
  return (
    <SecretOnce
      title={`The secret of “${apiKey.name}”`}
      secret={secret}
      fileName={`${apiKey.prefix}.txt`}
      done={() => navigate(`/teams/${teamId}/keys/${apiKey.id}`)}
      doneLabel="Go to the key"
    >
      <Text size="sm">Send it as a bearer token. To verify it from a terminal:</Text>
      <Code block className="breakable" tabIndex={0}>
        {verifyCommand(secret, apiKey.env)}
      </Code>
    </SecretOnce>
  );
}

import { Alert, Button, Group, NativeSelect, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { parseIpAddress } from '../../domain/ip-address.ts';
import { execute } from '../api/execute.ts';
import { explainVerification } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import type { ExplainVerificationInput } from '../generated/graphql.ts';
import { useMay, useViewer } from '../session/viewer.ts';
import { Explanation } from './explanation.tsx';

interface Question {
  readonly key: string;
  readonly sourceIp: string;
  readonly env: string;
}

/** “Try a key”: explains the verdict that a verification would return. */
export function ExplainPage() {
  const { teamId = '' } = useParams();
  const { data: viewer } = useViewer();
  const mayView = useMay('view_team', teamId);
  const explanation = useMutation({
    mutationFn: async ({ key, sourceIp, env }: Question) => {
      const text = key.trim();
      const input: ExplainVerificationInput = {
        teamId,
        ...(/^[a-z0-9]+_(?:live|test)_[0-9A-Za-z]{8}$/.test(text) ? { prefix: text } : { secret: text }),
        ...(sourceIp.trim() === '' ? {} : { sourceIp: sourceIp.trim() }),
        ...(env === 'live' || env === 'test' ? { env } : {}),
      };
      return (await execute(explainVerification, { input })).explainVerification;
    },
    gcTime: 0,
  });
  const form = useForm<Question>({
    initialValues: { key: '', sourceIp: '', env: '' },
    validate: {
      key: (key) => (key.trim() === '' ? 'Paste the secret of a key, or enter its prefix.' : null),
      sourceIp: (ip) => (ip.trim() === '' || parseIpAddress(ip.trim()) !== null ? null : 'This is not an IP address.'),
    },
  });
  const own = viewer?.source ?? null;
  if (!mayView) {
    return (
      <Alert title="Not for this session" role="status">
        Your session token does not grant view_team on this team.
      </Alert>
    );
  }
  return (
    <Stack maw={760}>
      <Title order={1} size="h2">
        Try a key
      </Title>
      <Text size="sm">
        Shows the verdict of a verification, check by check. It does not count as usage, and the secret is not stored.
      </Text>
      <Paper
        component="form"
        withBorder
        p="md"
        noValidate
        onSubmit={form.onSubmit((values) => explanation.mutate(values))}
      >
        <Stack gap="sm">
          <PasswordInput
            label="Key"
            description="Its secret, or its prefix such as lk_live_4fJx81Qz."
            autoComplete="off"
            spellCheck={false}
            maxLength={512}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the key', tabIndex: 0 }}
            {...form.getInputProps('key')}
          />
          <Group align="start">
            <TextInput
              label="Source"
              description="The address that the request comes from. Empty: unknown."
              placeholder="203.0.113.9"
              {...form.getInputProps('sourceIp')}
            />
            <NativeSelect
              label="Environment"
              description="The environment that the API serves."
              data={[
                { value: '', label: 'Any' },
                { value: 'live', label: 'live' },
                { value: 'test', label: 'test' },
              ]}
              {...form.getInputProps('env')}
            />
          </Group>
          <Group>
            <Button type="submit" loading={explanation.isPending}>
              Try it
            </Button>
            {own !== null && (
              <Button variant="default" onClick={() => form.setFieldValue('sourceIp', own)}>
                From my address, {own}
              </Button>
            )}
          </Group>
        </Stack>
      </Paper>
      {explanation.error !== null && <ErrorNotice error={explanation.error} />}
      {explanation.data !== undefined && <Explanation teamId={teamId} explanation={explanation.data} />}
    </Stack>
  );
}

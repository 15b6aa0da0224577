import { Checkbox, Fieldset, Paper, Stack, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { LeaveGuard } from '../components/dialog/leave-guard.tsx';
import { Form } from '../components/form/form.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { ButtonLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { CreateManagementKeyDocument, type Permission } from '../generated/graphql.ts';
import { sourcesIn, sourcesProblem } from '../key-form/allowed-sources.ts';
import { type Expiry, expiryProblem, momentOf } from '../key-form/expiry.ts';
import { ExpiryInput } from '../key-form/expiry-input.tsx';
import { SourcesInput } from '../key-form/inputs.tsx';
import { IssuingGuard } from '../secrets/secret-once.tsx';
import { reloadAccess } from './access.ts';
import { IssuedManagementKey } from './issued-management-key.tsx';
import { PermissionsInput } from './permissions-input.tsx';

const width = 760;
const emptyDraft = {
  name: '',
  permissions: ['view_team', 'manage_keys'] as readonly Permission[],
  expiresAt: 90 as Expiry,
  allowedIps: '',
  signing: false,
};

type Draft = typeof emptyDraft;

export function NewManagementKeyPage() {
  const { teamId } = useParams({ from: '/teams/$teamId/access/keys/new' });
  return <Creation key={teamId} teamId={teamId} />;
}

function Creation({ teamId }: { readonly teamId: string }) {
  const navigate = useNavigate();
  const form = useServerForm({
    initialValues: emptyDraft,
    validate: {
      permissions: (chosen) => (chosen.length === 0 ? 'Choose at least one.' : null),
      expiresAt: (expiry) => expiryProblem(expiry),
      allowedIps: sourcesProblem,
    },
    send: async (draft) =>
      (await execute(CreateManagementKeyDocument, { input: inputOf(teamId, draft) })).createManagementKey,
    onSent: () => void reloadAccess(),
  });
  const { data: created, isPending, getInputProps } = form;
  if (created !== undefined) {
    const { id: managementKeyId } = created.managementKey;
    const params = { teamId, managementKeyId };
    return (
      <Page title="Management key created" width={width}>
        <IssuedManagementKey
          teamId={teamId}
          issued={created}
          done={() => navigate({ to: '/teams/$teamId/access/keys/$managementKeyId', params })}
          doneLabel="Go to the management key"
        />
      </Page>
    );
  }
  // Not around the secret, which must stay on the page if the permission ends meanwhile.
  return (
    <RequirePermission permission="manage_access" teamId={teamId}>
      <Page title="Create a management key" width={width}>
        <Form
          {...form.frame}
          submitLabel="Create"
          actions={
            <ButtonLink variant="default" to="/teams/$teamId/access" params={{ teamId }}>
              Cancel
            </ButtonLink>
          }
        >
          <Fieldset variant="unstyled" disabled={isPending}>
            <Fields teamId={teamId} getInputProps={getInputProps} />
          </Fieldset>
          {isPending && <IssuingGuard />}
          {form.isDirty() && (
            <LeaveGuard title="Leave without creating the management key?" text="What you entered will be lost." />
          )}
        </Form>
      </Page>
    </RequirePermission>
  );
}

interface FieldsProps {
  readonly teamId: string;
  readonly getInputProps: ReturnType<typeof useServerForm<Draft, unknown>>['getInputProps'];
}

function Fields({ teamId, getInputProps }: FieldsProps) {
  const { value: sources, ...sourcesField } = getInputProps('allowedIps');
  const { value: expiry, ...expiryField } = getInputProps('expiresAt');
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="The program that has it, such as Billing backend."
          maxLength={limits.nameCharacters}
          withAsterisk
          required
          data-autofocus
          {...getInputProps('name')}
        />
        <PermissionsInput teamId={teamId} field={getInputProps('permissions')} />
        <ExpiryInput isRequired value={expiry} {...expiryField} />
        <SourcesInput
          label="Allowed sources"
          description="The addresses of the program. With them, a stolen key can’t be used from elsewhere."
          minRows={2}
          value={sources}
          {...sourcesField}
        />
        <Checkbox
          label="Require signed requests"
          description="The signing secret is shown once, after the management key."
          {...getInputProps('signing', { type: 'checkbox' })}
        />
      </Stack>
    </Paper>
  );
}

function inputOf(teamId: string, { name, permissions, expiresAt, allowedIps, signing }: Draft) {
  return {
    teamId,
    name,
    permissions: [...permissions],
    expiresAt: (momentOf(expiresAt) ?? new Date(0)).toISOString(),
    allowedIps: sourcesIn(allowedIps),
    signing,
  };
}

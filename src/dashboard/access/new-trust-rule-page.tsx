import { Alert, Checkbox, Fieldset, NativeSelect, Paper, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { Form } from '../components/form/form.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { ButtonLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { toast } from '../components/toast.ts';
import { CreateTrustRuleDocument, type Permission, TrustedIssuersDocument } from '../generated/graphql.ts';
import { reloadAccess } from './access.ts';
import { claimsIn, claimsProblem, platforms } from './claims.ts';
import { PermissionsInput } from './permissions-input.tsx';

const width = 760;
const title = 'Create a trust rule';

export function NewTrustRulePage() {
  const { teamId } = useParams({ from: '/teams/$teamId/access/rules/new' });
  const query = useQuery({
    queryKey: ['trusted-issuers'],
    queryFn: async ({ signal }) => (await execute(TrustedIssuersDocument, {}, signal)).trustedIssuers,
  });
  return (
    <RequirePermission permission="manage_access" teamId={teamId}>
      <Page title={title} width={width}>
        <QueryView query={query}>
          {(issuers) =>
            issuers.length === 0 ? <NoIssuers /> : <Creation key={teamId} teamId={teamId} issuers={issuers} />
          }
        </QueryView>
      </Page>
    </RequirePermission>
  );
}

function NoIssuers() {
  return (
    <Alert title="No issuer is trusted" role="status">
      The operator of this service must first name the issuers whose tokens it accepts, in TRUSTED_ISSUERS.
    </Alert>
  );
}

interface Props {
  readonly teamId: string;
  readonly issuers: readonly string[];
}

function draftFor(issuers: readonly string[]) {
  return {
    name: '',
    platform: '',
    issuer: issuers[0] ?? '',
    audience: location.origin,
    claims: '',
    permissions: ['manage_keys'] as readonly Permission[],
    once: false,
  };
}

function useNewRule(teamId: string, issuers: readonly string[]) {
  return useServerForm({
    initialValues: draftFor(issuers),
    validate: {
      permissions: (chosen) => (chosen.length === 0 ? 'Choose at least one.' : null),
      claims: claimsProblem,
    },
    send: async ({ platform: _, claims, permissions, ...rest }) =>
      await execute(CreateTrustRuleDocument, {
        input: { teamId, ...rest, claims: claimsIn(claims), permissions: [...permissions] },
      }),
    onSent: ({ createTrustRule: { trustRule } }) => {
      toast(`“${trustRule.name}” is created.`);
      void reloadAccess();
    },
  });
}

function Creation({ teamId, issuers }: Props) {
  const form = useNewRule(teamId, issuers);
  // Not in `onSent`, when the form is still there, and asks before the user leaves it.
  if (form.isSuccess) return <Navigate to="/teams/$teamId/access" params={{ teamId }} />;
  const cancel = (
    <ButtonLink variant="default" to="/teams/$teamId/access" params={{ teamId }}>
      Cancel
    </ButtonLink>
  );
  return (
    <Form {...form.frame} isGuarded submitLabel="Create" actions={cancel}>
      <Fieldset variant="unstyled" disabled={form.isPending}>
        <Paper withBorder p="md">
          <Stack gap="sm">
            <TokensInputs form={form} issuers={issuers} />
            <ClaimsInputs form={form} />
            <PermissionsInput teamId={teamId} field={form.getInputProps('permissions')} />
            <Checkbox
              label="Each token once"
              description="A token is accepted only once, by its id (jti). GitLab and Kubernetes use theirs several times."
              {...form.getInputProps('once', { type: 'checkbox' })}
            />
          </Stack>
        </Paper>
      </Fieldset>
    </Form>
  );
}

interface PartProps {
  readonly form: ReturnType<typeof useNewRule>;
}

/** What the rule is for, and who signs the tokens. */
function TokensInputs({ form, issuers }: PartProps & Pick<Props, 'issuers'>) {
  const choosePlatform = (id: string) => {
    const platform = platforms.find((platform) => platform.id === id);
    const issuer = issuers.find((issuer) => issuer === platform?.issuer);
    form.setValues({ platform: id, claims: platform?.claims ?? '', ...(issuer !== undefined && { issuer }) });
  };
  return (
    <>
      <TextInput
        label="Name"
        description="The jobs that it lets in, such as Deploy of the web shop."
        maxLength={limits.nameCharacters}
        withAsterisk
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label="Platform"
        description="Fills in the issuer and the names of the claims."
        data={[{ value: '', label: 'Another' }, ...platforms.map(({ id, label }) => ({ value: id, label }))]}
        value={form.values.platform}
        onChange={({ currentTarget }) => choosePlatform(currentTarget.value)}
      />
      <NativeSelect
        label="Issuer"
        description="Who signs the tokens: one of those that the operator trusts."
        data={[...issuers]}
        {...form.getInputProps('issuer')}
      />
    </>
  );
}

/** What the tokens say. */
function ClaimsInputs({ form: { getInputProps } }: PartProps) {
  return (
    <>
      <TextInput
        label="Audience"
        description="What tokens must be issued for (aud)."
        maxLength={limits.claimCharacters}
        withAsterisk
        required
        {...getInputProps('audience')}
      />
      <Textarea
        label="Claims"
        description="What tokens must say, exactly: one in each line, such as repository_id: 123. At least one is an id, which never changes: a name can be renamed, and then taken by others."
        classNames={{ input: 'code' }}
        autosize
        minRows={3}
        maxRows={limits.trustRuleClaims}
        spellCheck={false}
        withAsterisk
        required
        {...getInputProps('claims')}
      />
    </>
  );
}

import { Fieldset, NativeSelect, Paper, Stack } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { execute } from '../api/execute.ts';
import { LeaveGuard } from '../components/dialog/leave-guard.tsx';
import { Form } from '../components/form/form.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { ButtonLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { CreateWebhookDocument, type WebhookSignature } from '../generated/graphql.ts';
import { IssuingGuard } from '../secrets/secret-once.tsx';
import { IssuedSecret } from './issued-secret.tsx';
import { choicesOf, emptyDraft, inputOf, signatureNames, WebhookFields } from './webhook-form.tsx';
import { reloadWebhooks } from './webhooks.ts';

const width = 760;

export function NewWebhookPage() {
  const { teamId } = useParams({ from: '/teams/$teamId/webhooks/new' });
  return <Creation key={teamId} teamId={teamId} />;
}

function Creation({ teamId }: { readonly teamId: string }) {
  const navigate = useNavigate();
  const form = useServerForm({
    initialValues: { ...emptyDraft, signature: 'V1' as WebhookSignature },
    send: async ({ signature, ...draft }) =>
      (await execute(CreateWebhookDocument, { input: { teamId, signature, ...inputOf(draft) } })).createWebhook,
    onSent: () => void reloadWebhooks(),
  });
  const { data: created, isPending } = form;
  if (created !== undefined) {
    const webhookId = created.webhook.id;
    return (
      <Page title="Webhook created" width={width}>
        <IssuedSecret
          issued={created}
          done={() => navigate({ to: '/teams/$teamId/webhooks/$webhookId', params: { teamId, webhookId } })}
          doneLabel="Go to the webhook"
        />
      </Page>
    );
  }
  // Not around the secret, which must stay on the page if the permission ends meanwhile.
  return (
    <RequirePermission permission="manage_webhooks" teamId={teamId}>
      <Page title="Create a webhook" width={width}>
        <Form
          {...form.frame}
          submitLabel="Create"
          actions={
            <ButtonLink variant="default" to="/teams/$teamId/webhooks" params={{ teamId }}>
              Cancel
            </ButtonLink>
          }
        >
          <Fieldset variant="unstyled" disabled={isPending}>
            <Paper withBorder p="md">
              <Stack gap="sm">
                <WebhookFields getInputProps={form.getInputProps} />
                <NativeSelect
                  label="Signature"
                  description="How receivers verify that requests are from Latchkey. It can’t be changed later."
                  data={choicesOf(signatureNames)}
                  {...form.getInputProps('signature')}
                />
              </Stack>
            </Paper>
          </Fieldset>
          {isPending && <IssuingGuard />}
          {form.isDirty() && (
            <LeaveGuard title="Leave without creating the webhook?" text="What you entered will be lost." />
          )}
        </Form>
      </Page>
    </RequirePermission>
  );
}

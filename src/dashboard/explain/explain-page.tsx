import { Text } from '@mantine/core';
import { useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { ExplainForm } from './explain-form.tsx';
import { Explanation } from './explanation.tsx';
import { useTrial } from './trial.ts';

export function ExplainPage() {
  const { teamId = '' } = useParams({ strict: false });
  const { prefix = '' } = useSearch({ from: '/teams/$teamId/try' });
  return (
    <RequirePermission permission="view_team" teamId={teamId}>
      <Page title="Try a key" width={760}>
        <Text size="sm">
          Shows the verdict of a verification, check by check. It does not count as usage, and the secret is not stored.
        </Text>
        {/* `key` removes a verdict about one team's key when the team changes. */}
        <TrialShown key={`${teamId} ${prefix}`} teamId={teamId} prefix={prefix} />
      </Page>
    </RequirePermission>
  );
}

function TrialShown({ teamId, prefix }: { readonly teamId: string; readonly prefix: string }) {
  const form = useTrial(teamId, prefix);
  return (
    <>
      <ExplainForm form={form} />
      {/* A verdict is valid only for the inputs that were sent. */}
      {form.data !== undefined && !form.frame.isDirty && <Explanation teamId={teamId} explanation={form.data} />}
    </>
  );
}

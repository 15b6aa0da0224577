import { Paper, Stack, Text } from '@mantine/core';
import { useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { FoundKeys } from '../keys/found/found-keys.tsx';
import { ExplainForm } from './explain-form.tsx';
import { Explanation } from './explanation.tsx';
import { type Tried, useTrial } from './trial.ts';

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
      {form.data !== undefined && !form.frame.isDirty && <TriedShown teamId={teamId} {...form.data} />}
    </>
  );
}

function TriedShown({ teamId, explanation, search }: Tried & { readonly teamId: string }) {
  const keys = search?.keys ?? [];
  const isKnown = explanation?.apiKey != null;
  return (
    <>
      {search !== null && (
        <Paper withBorder p="md" role="status">
          <Stack gap={4}>
            {!isKnown && keys.length === 0 && <Text fw={700}>No key was found</Text>}
            {!isKnown && keys.length > 0 && (
              <Text fw={700}>{keys.length === 1 ? 'Found:' : 'Several keys match:'}</Text>
            )}
            {!isKnown && <FoundKeys teamId={teamId} keys={keys.map(({ apiKey }) => apiKey)} />}
            {search.hint !== null && <Text size="sm">{search.hint}</Text>}
          </Stack>
        </Paper>
      )}
      {explanation !== null && (isKnown || keys.length === 0) && (
        <Explanation teamId={teamId} explanation={explanation} />
      )}
    </>
  );
}

import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useParams, useSearch } from '@tanstack/react-router';
import { isPrefix } from '../../domain/key/key-prefix.ts';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { ExplainVerificationDocument } from '../generated/graphql.ts';
import { useFirstSteps } from '../keys/create/use-first-steps.ts';
import { ExplainForm } from './explain-form.tsx';
import { Explanation } from './explanation.tsx';
import { emptyTrial, inputOf, type Trial, validations } from './trial.ts';

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
  const { markTried } = useFirstSteps(teamId);
  const explanation = useSubmit({
    mutationFn: (trial: Trial) => explain(teamId, trial),
    onSuccess: ({ code }) => {
      if (code === 'VALID') markTried();
    },
    gcTime: 0,
  });
  const form = useForm<Trial>({
    initialValues: { ...emptyTrial, key: isPrefix(prefix) ? prefix : '' },
    validate: validations,
    // A verdict is valid only for the inputs that were sent. `reset` also ignores a response that arrives later.
    onValuesChange: () => explanation.reset(),
  });
  return (
    <>
      <ExplainForm form={form} pending={explanation.isPending} error={explanation.error} submit={explanation.submit} />
      {explanation.data !== undefined && <Explanation teamId={teamId} explanation={explanation.data} />}
    </>
  );
}

/** Tries a text as a prefix and then as a secret, because the secret of an imported key can look like a prefix. */
async function explain(teamId: string, trial: Trial) {
  const text = trial.key.trim();
  const input = inputOf(teamId, trial);
  const tryAs = async (by: { readonly prefix: string } | { readonly secret: string }) =>
    (await execute(ExplainVerificationDocument, { input: { ...input, ...by } })).explainVerification;
  if (!isPrefix(text)) return tryAs({ secret: text });
  const asPrefix = await tryAs({ prefix: text });
  if (asPrefix.apiKey !== null) return asPrefix;
  const asSecret = await tryAs({ secret: text });
  return asSecret.apiKey === null ? asPrefix : asSecret;
}

import { Alert, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useParams, useSearchParams } from 'react-router';
import { isPrefix } from '../../domain/key/key-prefix.ts';
import { execute } from '../api/execute.ts';
import { explainVerification } from '../api/operations.ts';
import { useSubmit } from '../api/use-submit.ts';
import { useMay } from '../session/viewer.ts';
import { ExplainForm } from './explain-form.tsx';
import { Explanation } from './explanation.tsx';
import { emptyQuestion, inputOf, type Question, validations } from './question.ts';

/** “Try a key”: explains the verdict that a verification would return. */
export function ExplainPage() {
  const { teamId = '' } = useParams();
  const [parameters] = useSearchParams();
  const mayView = useMay('view_team', teamId);
  const prefix = parameters.get('prefix') ?? '';
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
      {/* Keyed: a verdict about one team's key must not stay when the team changes. */}
      <Trial key={`${teamId} ${prefix}`} teamId={teamId} prefix={prefix} />
    </Stack>
  );
}

function Trial({ teamId, prefix }: { readonly teamId: string; readonly prefix: string }) {
  const explanation = useSubmit({
    mutationFn: (question: Question) => explain(teamId, question),
    gcTime: 0,
  });
  const form = useForm<Question>({
    initialValues: { ...emptyQuestion, key: isPrefix(prefix) ? prefix : '' },
    validate: validations,
    // A verdict holds for the inputs that it was asked for only. A response that is still to come is ignored too.
    onValuesChange: () => explanation.reset(),
  });
  return (
    <>
      <ExplainForm form={form} pending={explanation.isPending} error={explanation.error} submit={explanation.submit} />
      {explanation.data !== undefined && <Explanation teamId={teamId} explanation={explanation.data} />}
    </>
  );
}

/** An imported key can look like a prefix: text that is not found as a prefix is tried as a secret. */
async function explain(teamId: string, question: Question) {
  const text = question.key.trim();
  const input = inputOf(teamId, question);
  if (isPrefix(text)) {
    const { explainVerification: asPrefix } = await execute(explainVerification, { input: { ...input, prefix: text } });
    if (asPrefix.apiKey !== null) return asPrefix;
  }
  return (await execute(explainVerification, { input: { ...input, secret: text } })).explainVerification;
}

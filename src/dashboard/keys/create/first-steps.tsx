/** Leads a new team to its first protected API: create a key, try it, protect an API. */
import { Accordion, Button, CheckIcon, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { execute } from '../../api/execute.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Actions } from '../../components/form/form.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Explanation } from '../../explain/explanation.tsx';
import { ExplainVerificationDocument, FirstStepsDocument, type FirstStepsQuery } from '../../generated/graphql.ts';
import { CodeExamples } from '../../secrets/code-examples.tsx';
import { useMay } from '../../session/viewer.ts';
import { useFirstSteps } from './use-first-steps.ts';

/** Short, because the user waits for the first request. */
const pollMs = 5000;

type Key = FirstStepsQuery['keys']['nodes'][number];

export function FirstSteps({ teamId }: { readonly teamId: string }) {
  const query = useQuery({
    queryKey: ['keys', teamId, 'first-steps'],
    queryFn: async ({ signal }) => (await execute(FirstStepsDocument, { teamId }, signal)).keys.nodes,
    refetchInterval: ({ state }) => (state.data?.[0]?.lastUsedAt == null ? pollMs : false),
  });
  return <QueryView query={query}>{([newest]) => <Steps teamId={teamId} newest={newest} />}</QueryView>;
}

function Steps({ teamId, newest }: { readonly teamId: string; readonly newest: Key | undefined }) {
  const { isTried, markTried, dismiss } = useFirstSteps(teamId);
  const [chosen, setChosen] = useState<string | null | undefined>();
  // The verdict stays when it completes the step.
  const stay = () => {
    setChosen('try');
    markTried();
  };
  const needsKey = <Text size="sm">This step needs a key.</Text>;
  const steps = [
    {
      id: 'create',
      title: 'Create a key',
      isDone: newest !== undefined,
      content: <Creation teamId={teamId} hasKey={newest !== undefined} />,
    },
    {
      id: 'try',
      title: 'Try it',
      isDone: newest !== undefined && isTried,
      content: newest === undefined ? needsKey : <FirstTrial teamId={teamId} apiKey={newest} onValid={stay} />,
    },
    {
      id: 'protect',
      title: 'Protect an API',
      isDone: newest?.lastUsedAt != null,
      content: newest === undefined ? needsKey : <Protection apiKey={newest} />,
    },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  const opened = chosen === undefined ? (steps.find(({ isDone }) => !isDone)?.id ?? null) : chosen;
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="first-steps">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="first-steps">
          First steps{' '}
          <Text span size="sm" c="dimmed" role="status">
            {done} of {steps.length} done
          </Text>
        </Title>
        <Button size="xs" variant="default" onClick={dismiss}>
          Dismiss
        </Button>
      </Group>
      <Accordion variant="contained" order={3} value={opened} onChange={setChosen}>
        {steps.map(({ id, title, isDone, content }, index) => (
          <Accordion.Item key={id} value={id}>
            <Accordion.Control icon={isDone ? <CheckIcon size={12} /> : index + 1}>
              {title}
              {isDone && ' (done)'}
            </Accordion.Control>
            <Accordion.Panel>{content}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Paper>
  );
}

/** The parameters of the form, which then leads back here. */
const testKey = { name: 'First key', env: 'test', expires: '30', steps: 'on' };

function Creation({ teamId, hasKey }: { readonly teamId: string; readonly hasKey: boolean }) {
  const mayManage = useMay('manage_keys', teamId);
  if (hasKey) return <Text size="sm">This team has a key. Its secret was shown when it was created.</Text>;
  if (!mayManage)
    return (
      <Text size="sm">
        Your session can see the keys of this team, try them, and read their use and history. To create one, it needs
        the permission manage_keys: ask the person who administers your sign-in.
      </Text>
    );
  return (
    <>
      <Text size="sm" mb="sm">
        A key for the environment test, which expires in {testKey.expires} days. You can revoke it at any time.
      </Text>
      <ButtonLink to="/teams/$teamId/keys/new" params={{ teamId }} search={testKey}>
        Create a test key
      </ButtonLink>
    </>
  );
}

interface TrialProps {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly onValid: () => void;
}

/** Shows real verdicts: on the newest key, and on an unknown one. */
function FirstTrial({ teamId, apiKey: { name, prefix }, onValid }: TrialProps) {
  const { data, error, isPending, variables, submit } = useSubmit({
    mutationFn: async (prefix: string) =>
      (await execute(ExplainVerificationDocument, { input: { teamId, prefix } })).explainVerification,
    onSuccess: ({ code }) => {
      if (code === 'VALID') onValid();
    },
  });
  const unknown = unknownLike(prefix);
  return (
    <Stack gap="sm">
      <Text size="sm">
        Shows the verdict that an API would get for a request with “{name}” now, check by check. A disabled or revoked
        key gets its verdict in the same way.
      </Text>
      <Actions error={error}>
        <FocusableButton loading={isPending && variables === prefix} onClick={() => submit(prefix)}>
          Try the key
        </FocusableButton>
        <FocusableButton variant="default" loading={isPending && variables === unknown} onClick={() => submit(unknown)}>
          Try an unknown key
        </FocusableButton>
      </Actions>
      {data !== undefined && !isPending && <Explanation teamId={teamId} explanation={data} />}
    </Stack>
  );
}

/** Returns the prefix of a key that does not exist. */
function unknownLike(prefix: string): string {
  const [start = '', env = '', characters = ''] = prefix.split('_');
  return `${start}_${env}_${[...characters].reverse().join('')}`;
}

function Protection({ apiKey }: { readonly apiKey: Key }) {
  return (
    <>
      <CodeExamples apiKey={apiKey} />
      <Text size="sm" mt="sm" role="status">
        {apiKey.lastUsedAt === null
          ? `Waiting for the first accepted request with “${apiKey.name}”…`
          : `An API has accepted “${apiKey.name}”. The usage and the sources of its requests are on its page.`}
      </Text>
    </>
  );
}

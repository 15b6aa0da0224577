/** Leads a new team to its first protected API: create a key, try it, protect an API. */
import { Accordion, Button, CheckIcon, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { execute } from '../../api/execute.ts';
import { QueryView } from '../../components/query-view.tsx';
import { FirstStepsDocument, type FirstStepsQuery } from '../../generated/graphql.ts';
import { CodeExamples } from '../../secrets/code-examples.tsx';
import { FirstKey } from './first-key.tsx';
import { FirstTrial } from './first-trial.tsx';
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

interface Step {
  readonly id: string;
  readonly title: string;
  readonly isDone: boolean;
  readonly content: ReactNode;
}

function Steps({ teamId, newest }: { readonly teamId: string; readonly newest: Key | undefined }) {
  const { isTried, markTried, dismiss } = useFirstSteps(teamId);
  const next = useRef<HTMLButtonElement>(null);
  const [chosen, setChosen] = useState<string | null | undefined>();
  const steps: readonly Step[] = [
    {
      id: 'create',
      title: 'Create a key',
      isDone: newest !== undefined,
      content: (
        <FirstKey
          teamId={teamId}
          hasKey={newest !== undefined}
          created={() => setChosen('create')}
          stored={() => {
            setChosen('try');
            next.current?.focus();
          }}
        />
      ),
    },
    {
      id: 'try',
      title: 'Try it',
      isDone: newest !== undefined && isTried,
      content: newest === undefined ? needsKey : <FirstTrial teamId={teamId} apiKey={newest} onValid={markTried} />,
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
            <Accordion.Control
              ref={id === 'try' ? next : undefined}
              icon={isDone ? <CheckIcon size={12} /> : index + 1}
            >
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

const needsKey = <Text size="sm">This step needs a key.</Text>;

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

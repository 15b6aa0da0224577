import { Alert, Code, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { useId, useState } from 'react';
import { isEventType } from '../../domain/event/event-types.ts';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { useIsPast } from '../components/clock.ts';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { formatNumber, formatTime } from '../components/format.ts';
import { Moment } from '../components/moment.tsx';
import { StateDot } from '../components/state-dot.tsx';
import { toast } from '../components/toast.ts';
import { type DeliveryDetailsFragment, type DeliveryOutcome, ReplayEventsDocument } from '../generated/graphql.ts';
import { Subject } from '../key/history/subject.tsx';
import { Copyable } from '../secrets/copyable.tsx';
import { outcomeNames } from './webhook-search.ts';
import { reloadWebhooks, type Webhook } from './webhooks.ts';

type Delivery = DeliveryDetailsFragment;

const dots: Readonly<Record<DeliveryOutcome, string>> = { DELIVERED: 'active', PENDING: 'disabled', FAILED: 'failing' };

/** How a delivery looks: that it is attempted again does not make a failure less red. */
function shownOutcome({ outcome, attempts }: Pick<Delivery, 'outcome' | 'attempts'>) {
  if (outcome === 'PENDING' && attempts > 0) return { kind: dots.FAILED, name: 'failed so far' };
  return { kind: dots[outcome], name: outcomeNames[outcome] };
}

interface Props {
  readonly delivery: Delivery;
  readonly teamId: string;
  readonly webhook: Webhook;
}

/** A delivery as a row, whose button shows the row with the answer and the rest. */
export function DeliveryRows({ delivery, teamId, webhook }: Props) {
  const { type, keyId, keyName, status, attempts, durationMs, createdAt, nextAttemptAt } = delivery;
  const { kind, name } = shownOutcome(delivery);
  const [opened, setOpened] = useState(false);
  const id = useId();
  return (
    <Table.Tbody aria-label={`${type}, ${name}`}>
      <Table.Tr>
        <Table.Td>
          <UnstyledButton
            fz="inherit"
            className="entry"
            aria-expanded={opened}
            aria-controls={id}
            onClick={() => setOpened(!opened)}
          >
            {type}
          </UnstyledButton>
        </Table.Td>
        <Table.Td className="key">
          <Subject teamId={teamId} action={type} id={keyId} name={keyName} />
        </Table.Td>
        <Table.Td className="key outcome">
          <StateDot kind={kind}>
            {name}
            {status !== null && `, ${status}`}
            {durationMs !== null && `, ${formatNumber(durationMs)} ms`}
          </StateDot>
        </Table.Td>
        <Table.Td className="actor">
          <Text span inherit c="dimmed" hiddenFrom="sm">
            Attempts{' '}
          </Text>
          {attempts}
          {nextAttemptAt !== null && <NextAttempt at={nextAttemptAt} />}
        </Table.Td>
        <Table.Td>
          <Moment at={createdAt} />
        </Table.Td>
      </Table.Tr>
      <Table.Tr id={id} hidden={!opened}>
        <Table.Td>{opened && <Details delivery={delivery} webhook={webhook} />}</Table.Td>
      </Table.Tr>
    </Table.Tbody>
  );
}

/** A time that has passed says that the attempt waits for its turn. */
function NextAttempt({ at }: { readonly at: string }) {
  const isDue = useIsPast(at);
  if (isDue) return ', next now';
  return (
    <>
      , next <Moment at={at} />
    </>
  );
}

function Details({ delivery, webhook }: Omit<Props, 'teamId'>) {
  const { eventId, type, attempts, attemptedAt, nextAttemptAt } = delivery;
  const { submit, isPending } = useSubmit({
    mutationFn: async () => await execute(ReplayEventsDocument, { webhookId: webhook.id, eventIds: [eventId] }),
    onSuccess: async () => {
      await reloadWebhooks();
      toast('The event is sent again.');
    },
    onError: (error) => toast(error),
  });
  return (
    <Stack gap={4} pl="md" pb="xs">
      <Answer delivery={delivery} />
      {attemptedAt !== null && (
        <Text size="sm">
          {attempts === 1 ? 'One attempt' : `${formatNumber(attempts)} attempts`}, the last at{' '}
          {formatTime(new Date(attemptedAt))}
          {nextAttemptAt !== null && `, the next at ${formatTime(new Date(nextAttemptAt))}`}
        </Text>
      )}
      <Copyable what="the event ID" text={eventId} />
      {webhook.disabledAt === null && isEventType(type) && (
        <Group>
          <FocusableButton size="compact-sm" variant="default" loading={isPending} onClick={() => submit()}>
            Replay
          </FocusableButton>
        </Group>
      )}
    </Stack>
  );
}

/** Why an attempt failed, and the beginning of the answer. The answer is a text of another program, never HTML. */
function Answer({ delivery: { error, responseBody } }: Pick<Props, 'delivery'>) {
  return (
    <>
      {error !== null && (
        <Text size="sm" className="breakable">
          {error}
        </Text>
      )}
      {responseBody !== null && responseBody !== '' && (
        <Code block className="breakable" tabIndex={0} aria-label="The beginning of the answer">
          {responseBody}
        </Code>
      )}
    </>
  );
}

export function TestResult({ delivery }: Pick<Props, 'delivery'>) {
  const { outcome, status, durationMs } = delivery;
  const isDelivered = outcome === 'DELIVERED';
  return (
    <Alert role="status" color={isDelivered ? 'green' : 'yellow'} aria-label="The test event">
      <Stack gap="xs">
        <Text size="sm">
          The test event was {isDelivered ? 'delivered' : 'not delivered'}.{status !== null && ` Status ${status}`}
          {durationMs !== null && ` after ${formatNumber(durationMs)} ms`}
        </Text>
        <Answer delivery={delivery} />
      </Stack>
    </Alert>
  );
}

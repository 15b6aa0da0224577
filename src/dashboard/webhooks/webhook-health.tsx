/** Whether deliveries to a webhook succeed, and what to do if they do not. */
import { Alert, Group, Text } from '@mantine/core';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { useIsPast } from '../components/clock.ts';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { formatNumber } from '../components/format.ts';
import { Moment } from '../components/moment.tsx';
import { toast } from '../components/toast.ts';
import { ReplayEventsDocument } from '../generated/graphql.ts';
import { disabledReasons } from './webhook-state.tsx';
import { countOf, reloadWebhooks, type Webhook } from './webhooks.ts';

interface Props {
  readonly webhook: Webhook;
}

/** The share of deliveries that succeeded, such as `98 % of 200`. */
export function SuccessRate({ webhook: { health } }: Props) {
  const { delivered, retrying, failed } = health;
  const all = delivered + retrying + failed;
  if (all === 0) return 'no event yet';
  // 199 of 200 must not read as all.
  const percent = Math.floor((100 * delivered) / all);
  return `${percent} % of ${formatNumber(all)}`;
}

/** When an enabled webhook that fails is disabled. */
export function Disables({ webhook: { health } }: Props) {
  const isPast = useIsPast(health.disablesAt);
  if (health.disablesAt === null) return null;
  if (isPast) return 'The webhook is disabled with the next failure.';
  return (
    <>
      The webhook is disabled <Moment at={health.disablesAt} /> unless it accepts them.
    </>
  );
}

/** What is wrong with a webhook, in red: it is disabled, or events fail. */
export function HealthNotice({ webhook }: Props) {
  const { disabledAt, disabledReason, health } = webhook;
  const { retrying, failed } = health;
  if (disabledAt !== null) {
    const title = (
      <>
        Disabled <Moment at={disabledAt} />
      </>
    );
    return (
      <Alert role="status" variant="outline" color={disabledReason === 'MANUAL' ? 'yellow' : 'red'} title={title}>
        <Text size="sm">
          {disabledReason !== null && disabledReasons[disabledReason]} It gets no events. Once it is enabled, it gets
          what it missed.
        </Text>
      </Alert>
    );
  }
  if (retrying + failed === 0) return null;
  const title =
    retrying > 0 ? `${countOf(retrying, 'event')} failed so far` : `${countOf(failed, 'event')} failed for good`;
  return (
    <Alert role="status" variant="outline" color={retrying > 0 ? 'red' : 'yellow'} title={title}>
      <Text size="sm">
        {retrying > 0 && (
          <>
            Latchkey sends {retrying === 1 ? 'it' : 'them'} again, less and less often. <Disables webhook={webhook} />
          </>
        )}
        {retrying > 0 && failed > 0 && ` ${countOf(failed, 'other event')} failed for good.`}
        {retrying === 0 && 'The webhook accepts events again. These are sent again only if you say so.'}
      </Text>
      <Group mt="xs">
        <SendFailed webhook={webhook} />
      </Group>
    </Alert>
  );
}

function SendFailed({ webhook: { id: webhookId } }: Props) {
  const { submit, isPending } = useSubmit({
    mutationFn: async () => (await execute(ReplayEventsDocument, { webhookId, failed: true })).replayEvents.count,
    onSuccess: async (count) => {
      await reloadWebhooks();
      toast(`${countOf(count, 'event')} ${count === 1 ? 'is' : 'are'} sent again.`);
    },
    onError: (error) => toast(error),
  });
  return (
    <FocusableButton size="xs" variant="default" loading={isPending} onClick={() => submit()}>
      Send all failed again
    </FocusableButton>
  );
}

/** `latchkey webhooks test`, `deliveries` and `replay`: what becomes of events at an endpoint. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readMoment } from '../../domain/moment-text.ts';
import { Failure, usageFailure } from '../failure.ts';
import { collect, type JsonOption, limitOption } from '../options.ts';
import { type Cell, describeFields, printMessage, printResult, tableOf } from '../print.ts';
import type { CliDeliveryFragment, DeliveryOutcome } from '../service/generated/graphql.ts';
import { readDeliveries, replayEvents, sendTestEvent } from '../service/operations.ts';
import { execute, readPages, takeFirst } from '../service/service.ts';
import { webhookCommand } from './webhook-reference.ts';

const outcomes: Readonly<Record<string, DeliveryOutcome>> = {
  pending: 'PENDING',
  delivered: 'DELIVERED',
  failed: 'FAILED',
};
const colors = { PENDING: 'yellow', DELIVERED: 'green', FAILED: 'red' } as const;
const maxPageSize = 500;

export function addDeliveryCommands(webhooks: Command): void {
  webhookCommand(webhooks, 'test', 'send a test event now, and show how the endpoint answers; exits with 1 if it fails')
    .option('--json', 'print JSON')
    .action(test);

  webhookCommand(webhooks, 'deliveries', 'list the deliveries of the last 14 days, newest events first')
    .addOption(new Option('--outcome <outcome>', 'only deliveries with this outcome').choices(Object.keys(outcomes)))
    .addOption(limitOption().default(50))
    .option('--json', 'print JSON, with the beginning of each answer')
    .action(list);

  webhookCommand(
    webhooks,
    'replay',
    'send events again, with the same ids: single ones, those of a time range, or all that failed',
  )
    .option('--event <id>', 'the id of an event; can be given several times', collect)
    .addOption(momentOption('--from <time>', 'the events from this time on').conflicts('event'))
    .addOption(momentOption('--to <time>', 'the events before this time (default: now)').conflicts('event'))
    .addOption(
      new Option('--failed', 'all whose last attempt failed, at most 1,000').conflicts(['event', 'from', 'to']),
    )
    .option('--json', 'print JSON')
    .action(replay);
}

async function test(id: string, { json }: JsonOption): Promise<void> {
  const { delivery } = (await execute(sendTestEvent, { id })).sendTestEvent;
  printResult(delivery, json, describeFields);
  if (delivery.outcome === 'DELIVERED') return;
  const answer = delivery.status === null ? 'it did not answer' : `it answered ${delivery.status}`;
  throw new Failure('NOT_DELIVERED', `${answer}${delivery.error === null ? '' : `: ${delivery.error}`}`);
}

interface ListOptions extends JsonOption {
  readonly outcome?: string;
  readonly limit: number;
}

async function list(webhookId: string, { outcome: name = '', limit, json }: ListOptions): Promise<void> {
  const outcome = outcomes[name] ?? null;
  const first = Math.min(limit, maxPageSize);
  const pages = readPages(
    async (after) => (await execute(readDeliveries, { webhookId, outcome, first, after })).deliveries,
  );
  const { taken, hasMore } = await takeFirst(pages, limit);
  printResult(taken, json, describeList);
  if (hasMore && json !== true) printMessage(`There are more than these ${limit} deliveries.\n`);
}

function describeList(deliveries: readonly CliDeliveryFragment[]): string {
  return tableOf(
    ['EVENT', 'TYPE', 'OUTCOME', 'ATTEMPTS', 'STATUS', 'MS', 'ATTEMPTED', 'NEXT ATTEMPT', 'ERROR'],
    deliveries.map(({ outcome, ...delivery }): readonly Cell[] => [
      delivery.eventId,
      delivery.type,
      { text: outcome.toLowerCase(), color: colors[outcome] },
      String(delivery.attempts),
      String(delivery.status ?? '-'),
      String(delivery.durationMs ?? '-'),
      delivery.attemptedAt ?? '-',
      delivery.nextAttemptAt ?? '-',
      delivery.error ?? '-',
    ]),
  );
}

interface ReplayOptions extends JsonOption {
  readonly event?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly failed?: boolean;
}

async function replay(webhookId: string, { event, from, to, failed = false, json }: ReplayOptions): Promise<void> {
  if (event === undefined && from === undefined && !failed) {
    throw usageFailure('NO_EVENTS', 'give --event, --from or --failed');
  }
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const selection = event === undefined ? range : { eventIds: [...event] };
  const { replayEvents: replayed } = await execute(replayEvents, { webhookId, failed, ...selection });
  printResult(replayed, json, ({ count }) => `${count} ${count === 1 ? 'event is' : 'events are'} sent again`);
}

function momentOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: a date, a date-time, or a time ago such as 2h`).argParser((text) => {
    const moment = readMoment(text, new Date(), 'ago');
    if (!moment.ok) throw new InvalidArgumentError(moment.problem);
    return moment.value;
  });
}

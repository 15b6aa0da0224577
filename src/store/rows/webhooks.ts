import type { EventType } from '../../domain/event/event-types.ts';
import type { DisabledReason, EventForm, SignatureScheme, Webhook } from '../../domain/webhook/webhook.ts';
import type { BulkRows } from '../changes/bulk-rows.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { NewEntry } from '../changes/log.ts';
import { changeLogged } from '../changes/logged-change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

type Row = Prisma.WebhookGetPayload<object>;

/** The state on which a change of an endpoint is decided. */
export interface WebhookState {
  /** Null if it does not exist, or is to be created. */
  readonly webhook: Webhook | null;
  /** The number of the team's webhooks. */
  readonly count: number;
  /** The revision of the first entry, if the decision has one. */
  readonly revision: bigint;
}

export interface WebhookDecision<Answer> {
  readonly answer: Answer;
  /** Absent if the row stays as it is. The position (`cursor`) is stored only for a new webhook. */
  readonly write?: Webhook | 'delete';
  /** Appended to the log in the same transaction. */
  readonly entries?: readonly NewEntry[];
  /** Further writes of the same transaction, for example of deliveries. They come before the others. */
  readonly alsoWrite?: (bulk: BulkRows) => Promise<void>;
}

export type DecideOnWebhook<Answer> = (state: WebhookState) => WebhookDecision<Answer>;

export interface SealedWebhook {
  readonly id: string;
  readonly envelopes: readonly string[];
}

/** The endpoints of teams. Their changes are written to the log, in the order of all changes. */
export class Webhooks {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async find(id: string): Promise<Webhook | null> {
    const row = await queryStore(() => this.#reader.webhook.findUnique({ where: { id } }));
    return row === null ? null : webhookFromRow(row);
  }

  /** Lists the webhooks of a team, oldest first. */
  async list(teamId: string): Promise<Webhook[]> {
    const orderBy = [{ createdAt: 'asc' }, { id: 'asc' }] as const;
    const rows = await queryStore(() => this.#reader.webhook.findMany({ where: { teamId }, orderBy: [...orderBy] }));
    return rows.map(webhookFromRow);
  }

  async count(teamId: string): Promise<number> {
    return await queryStore(() => this.#reader.webhook.count({ where: { teamId } }));
  }

  /** Lists the webhooks with their envelopes, ordered by id. `after` is the last id of the previous page. */
  async sealed(after: string | null, limit: number): Promise<SealedWebhook[]> {
    const rows = await queryStore(() =>
      this.#reader.webhook.findMany({
        where: after === null ? {} : { id: { gt: after } },
        select: { id: true, secretEnvelope: true, previousSecretEnvelope: true },
        orderBy: { id: 'asc' },
        take: limit,
      }),
    );
    return rows.map(({ id, secretEnvelope, previousSecretEnvelope: previous }) => ({
      id,
      envelopes: previous === null ? [secretEnvelope] : [secretEnvelope, previous],
    }));
  }

  /**
   * Decides on the current state and writes the decision with its entries. `decide` may run twice.
   * @param id null for a webhook to create
   */
  async change<Answer>(id: string | null, teamId: string, decide: DecideOnWebhook<Answer>): Promise<Answer> {
    return await changeLogged<Answer, Omit<WebhookState, 'revision'>, WebhookDecision<Answer>>(this.#changes, teamId, {
      load: async (transaction) => {
        const row = id === null ? null : await transaction.webhook.findUnique({ where: { id } });
        const count = await transaction.webhook.count({ where: { teamId } });
        return { webhook: row === null ? null : webhookFromRow(row), count };
      },
      decide: (state, revision) => decide({ ...state, revision }),
      write: async (bulk, { write, alsoWrite }, { webhook }) => {
        const { transaction } = bulk;
        // Deliveries before their webhook, as in all transactions. Otherwise two of them could wait for each other.
        await alsoWrite?.(bulk);
        if (write === 'delete' && webhook !== null) await transaction.webhook.delete({ where: { id: webhook.id } });
        else if (write !== undefined && write !== 'delete') await writeRow(transaction, write, webhook === null);
      },
    });
  }
}

async function writeRow(transaction: Prisma.TransactionClient, webhook: Webhook, isNew: boolean): Promise<void> {
  const { id, teamId, createdAt, cursor, types, ...changeable } = webhook;
  const data = { ...changeable, types: [...types] };
  // The deliverer moves the cursor at the same time.
  if (isNew) await transaction.webhook.create({ data: { id, teamId, createdAt, cursor, ...data } });
  else await transaction.webhook.update({ where: { id }, data });
}

export function webhookFromRow({ types, form, signature, disabledReason, ...row }: Row): Webhook {
  if (!Array.isArray(types)) throw new Error(`the types of webhook ${row.id} are not a list`);
  return {
    ...row,
    // Only `writeRow` writes these columns.
    types: types as EventType[],
    form: form as EventForm,
    signature: signature as SignatureScheme,
    disabledReason: disabledReason as DisabledReason | null,
  };
}

import type { EventType } from '../../domain/event/event-types.ts';
import type { DisabledReason, EventForm, SignatureScheme, Webhook } from '../../domain/webhook/webhook.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

type Row = Prisma.WebhookGetPayload<object>;

export interface SealedWebhook {
  readonly id: string;
  readonly envelopes: readonly string[];
}

/** For a change of an endpoint. Null if it does not exist. */
export function webhookWithId(id: string): Load<Webhook | null> {
  return {
    read: async ({ webhook }) => {
      const row = await webhook.findUnique({ where: { id } });
      return row === null ? null : webhookFromRow(row);
    },
  };
}

/** For a new endpoint of a team: the number of those that it has. */
export function webhookCount(teamId: string): Load<number> {
  return { read: ({ webhook }) => webhook.count({ where: { teamId } }) };
}

export function insertWebhook(webhook: Webhook): RowWrite {
  const data = { ...webhook, types: [...webhook.types] };
  return ({ transaction }) => transaction.webhook.create({ data });
}

/** Writes what can change. The cursor can't: the deliverer moves it at the same time. */
export function writeWebhook(webhook: Webhook): RowWrite {
  const { id, teamId: _, createdAt: __, cursor: ___, types, ...changed } = webhook;
  const data = { ...changed, types: [...types] };
  return ({ transaction }) => transaction.webhook.update({ where: { id }, data });
}

export function removeWebhook(id: string): RowWrite {
  return ({ transaction }) => transaction.webhook.delete({ where: { id } });
}

/** The endpoints of teams. */
export class Webhooks {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
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
}

export function webhookFromRow({ types, form, signature, disabledReason, pausedUntil: _, ...row }: Row): Webhook {
  if (!Array.isArray(types)) throw new Error(`the types of webhook ${row.id} are not a list`);
  return {
    ...row,
    // Only `insertWebhook` and `writeWebhook` write these columns.
    types: types as EventType[],
    form: form as EventForm,
    signature: signature as SignatureScheme,
    disabledReason: disabledReason as DisabledReason | null,
  };
}

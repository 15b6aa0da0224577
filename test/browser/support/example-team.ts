/** The team of the pictures in docs/reference/dashboard.md: a few keys with names, a past and use, on the same day each time. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import jwt from 'jsonwebtoken';
import { type EventAction, eventTypeOf } from '../../../src/domain/event/event-types.ts';
import { storedDate } from '../../../src/store/json-rows.ts';
import type { Instance } from '../../support/instance.ts';
import { callGraphQL, jwtSecret, verdictOn } from './dashboard.ts';
import { addAccess, leave, people } from './example-access.ts';
import { issuer, startUnlimited } from './shared-service.ts';
import { all } from './test.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Thursday, at the time of the pictures. */
export const today = Date.parse('2026-09-17T14:20:00Z');
const atDay = (day: number) => new Date(today + day * dayMs);

export interface ExampleTeam {
  readonly service: Instance;
  readonly ids: Readonly<Record<keyof typeof keys, string>>;
  readonly webhookId: string;
  readonly team: string;
  readonly emptyTeam: string;
  readonly token: string;
}

/** What is said of each key when it is created, days before today. */
const keys = {
  pos: { day: -84, input: { name: 'Point of sale', allowedIps: ['203.0.113.0/24 # shops'], tags: ['shops'] } },
  old: { day: -84, input: { name: 'Partner API, first version', tags: ['partner'] } },
  warehouse: {
    day: -84,
    input: {
      name: 'Data warehouse',
      description: 'Reads all orders each night.',
      tags: ['data'],
      responsible: 'Team Data',
    },
  },
  support: { day: -84, input: { name: 'Support console', tags: ['internal'], expiresAt: atDay(41) } },
  partner: {
    day: -84,
    input: {
      name: 'Partner feed, Ferreira & Sons',
      externalId: 'ferreira',
      tags: ['partner'],
      responsible: people.alan,
    },
  },
  billing: { day: -81, input: { name: 'Billing worker', tags: ['payments'], expiresAt: atDay(9) } },
  shop: {
    day: -31,
    input: {
      name: 'Web shop checkout',
      description: 'Creates orders from the shop’s servers in Frankfurt.',
      tags: ['payments', 'web'],
      scopes: ['orders:read', 'orders:write'],
      allowedIps: ['192.0.2.0/24 # Frankfurt', '198.51.100.7 # fallback'],
      rateLimit: { limit: 600, windowSeconds: 60 },
      expiresAt: atDay(59),
    },
  },
  status: { day: -31, input: { name: 'Status page', scopes: ['health:read'], responsible: people.grace } },
  nightly: { day: -6, input: { name: 'Nightly export', env: 'test', tags: ['data'], expiresAt: atDay(84) } },
  mobile: { day: -6, input: { name: 'Mobile app, beta', env: 'test', tags: ['mobile'] } },
  new: { day: 0, input: { name: 'Fraud scoring', env: 'test', scopes: ['scores:write'] } },
} as const;

const webhookCreation = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
const creation = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret apiKey { id } } }';

const webhooks = [
  {
    url: 'https://hooks.example.com/latchkey',
    description: 'Change log',
    // Not the creation of keys, because one picture creates a key.
    types: ['key.updated', 'key.rotated', 'key.disabled', 'key.revoked', 'signing.enabled'],
  },
  {
    url: 'https://mail.example.com/latchkey',
    description: 'Mail to the team',
    types: ['key.expiring', 'key.expired', 'key.unused', 'key.exposed'],
  },
  { url: 'https://siem.example.com:8443/events', form: 'OCSF' },
];

/** The verifications of an hour of today. The hours before have about as many. */
const calls = [
  { key: 'shop', env: 'live', sourceIp: '192.0.2.14', times: 30 },
  { key: 'shop', env: 'live', sourceIp: '192.0.2.15', times: 22 },
  { key: 'shop', env: 'live', sourceIp: '203.0.113.80', times: 2 },
  { key: 'pos', env: 'live', sourceIp: '203.0.113.21', times: 18 },
  { key: 'pos', env: 'live', sourceIp: '198.51.100.40', times: 3 },
  { key: 'partner', env: 'live', sourceIp: '198.51.100.12', times: 11 },
  { key: 'billing', env: 'live', sourceIp: '192.0.2.30', times: 8 },
  { key: 'warehouse', env: 'live', sourceIp: '192.0.2.66', times: 5 },
  { key: 'mobile', env: 'test', sourceIp: '203.0.113.7', times: 4 },
  { key: 'mobile', env: 'live', sourceIp: '203.0.113.7', times: 2 },
] as const;

/** Starts a service of the example team, with a team that has no keys. */
export async function startExampleTeam(directory: string): Promise<ExampleTeam> {
  const [team, emptyTeam] = [randomUUID(), randomUUID()];
  const ids: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const webhookIds: string[] = [];
  for (const day of [-84, -81, -31, -6, 0]) {
    const service = await startAt(directory, today + day * dayMs - hourMs);
    const call = async (actor: string, query: string, variables: object) =>
      await callGraphQL(service, tokenAt(actor, team, day), query, variables);
    for (const [name, { day: created, input }] of Object.entries(keys)) {
      if (created === day) {
        const { createKey } = await call('ada@example.com', creation, {
          input: { teamId: team, env: 'live', ...input },
        });
        [ids[name], secrets[name]] = [createKey.apiKey.id, createKey.secret];
      }
    }
    const change = async (actor: string, mutation: string, id: string | undefined) =>
      await call(actor, `mutation ($id: UUID!) { ${mutation} { apiKey { id } } }`, { id });
    if (day === -84) {
      await addAccess((...query) => call('ada@example.com', ...query), service, team, atDay);
    }
    if (day === -31) await change('grace@example.com', 'revokeKey(id: $id)', ids.old);
    if (day === -6) {
      await leave((...query) => call('ada@example.com', ...query), team);
      await change('ada@example.com', 'enableSigning(id: $id)', ids.partner);
      await change('grace@example.com', 'disableKey(id: $id, reason: "Not used since the migration")', ids.support);
    }
    if (day === 0) {
      for (const { key, times, ...request } of calls) {
        for (let time = 0; time < times; time += 1) await verdictOn(service, { ...request, key: secrets[key] });
      }
      await change('ada@example.com', 'rotateKey(id: $id, overlapSeconds: 172800)', ids.warehouse);
      await change('grace@example.com', 'updateKey(id: $id, input: { tags: ["payments", "web", "eu"] })', ids.shop);
    }
    if (day === 0) {
      for (const input of webhooks) {
        const { createWebhook } = await call('ada@example.com', webhookCreation, { input: { teamId: team, ...input } });
        webhookIds.push(createWebhook.webhook.id);
      }
    }
    // Writes what it has counted.
    await service.stop();
  }
  repeatUse(directory);
  addDeliveries(directory, webhookIds);
  const service = await startAt(directory, today);
  const token = tokenAt('ada@example.com', team, 0, { [emptyTeam]: 'Research' });
  return { service, ids: ids as ExampleTeam['ids'], webhookId: webhookIds[0] ?? '', team, emptyTeam, token };
}

/** Starts the service with another clock. */
async function startAt(directory: string, time: number): Promise<Instance> {
  const clock = `const ahead = ${time} - Date.now();
    globalThis.Date = class extends Date {
      constructor(...parts) { super(...(parts.length === 0 ? [Date.now()] : parts)); }
      static now() { return super.now() + ahead; }
    };`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(clock)}`;
  return await startUnlimited({ DATA_DIR: directory, NODE_OPTIONS, TRUSTED_ISSUERS: issuer, WORKERS: '1' });
}

function tokenAt(
  subject: string,
  team: string,
  day: number,
  otherTeams: Readonly<Record<string, string>> = {},
): string {
  const names = { [team]: 'Payments', ...otherTeams };
  const teams = Object.fromEntries(Object.keys(names).map((id) => [id, all]));
  const iat = Math.floor((today + day * dayMs - hourMs) / 1000);
  return jwt.sign({ teams, team_names: names, iat, exp: iat + 36_000 }, jwtSecret, { subject });
}

/** Counts the hour of `calls` again for the 30 days before: less at night and at weekends. */
function repeatUse(directory: string): void {
  const sqlite = new Sqlite(join(directory, 'latchkey.db'));
  const add = (table: string, columns: string) =>
    sqlite.prepare(
      `INSERT INTO "${table}" VALUES (${columns}) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    );
  const [byHour, byDay, ofTeam, rejected] = [
    add('UsageHour', '@keyId, @hour, @code, @count'),
    add('UsageDay', '@keyId, @day, @count'),
    add('TeamUsageHour', '@teamId, @hour, @code, @count'),
    add('RejectedHour', '@teamId, @hour, @keyId, @code, @count'),
  ];
  const hours = sqlite
    .prepare('SELECT u.keyId, k.teamId, k.createdAt, u.code, u.count FROM UsageHour u JOIN ApiKey k ON k.id = u.keyId')
    .all() as { keyId: string; teamId: string; createdAt: string; code: string; count: number }[];
  const start = Math.floor(today / hourMs) * hourMs;
  sqlite.transaction(() => {
    for (let back = 2; back < 30 * 24; back += 1) {
      const hour = new Date(start - back * hourMs);
      const atNight = 0.6 - 0.5 * Math.cos((hour.getUTCHours() / 12) * Math.PI);
      const atWeekend = [0, 6].includes(hour.getUTCDay()) ? 0.45 : 1;
      for (const { createdAt, count, ...row } of hours) {
        const times = Math.round(count * 12 * atNight * atWeekend * (0.85 + ((back * 7 + count) % 10) / 30));
        if (Date.parse(createdAt) > hour.getTime() || times === 0) continue;
        const day = storedDate(new Date(Math.floor(hour.getTime() / dayMs) * dayMs));
        const values = { ...row, hour: storedDate(hour), day, count: times };
        for (const table of row.code === 'VALID' ? [byHour, byDay, ofTeam] : [byHour, byDay, ofTeam, rejected]) {
          table.run(values);
        }
      }
    }
  })();
  sqlite.close();
}

/** Says that the first webhook has got all events of the last days but one, and that the last one has failed too often. */
function addDeliveries(directory: string, [first = '', second = '', last = '']: readonly string[]): void {
  const sqlite = new Sqlite(join(directory, 'latchkey.db'));
  const entries = sqlite
    .prepare(
      "SELECT revision, action, keyId, at FROM AuditEntry WHERE event IS NULL AND action <> 'KEY_CREATED' AND at >= ?",
    )
    .all(storedDate(atDay(-13))) as { revision: number; action: EventAction; keyId: string; at: string }[];
  const add = sqlite.prepare(`INSERT INTO Delivery
    (webhookId, revision, type, keyId, outcome, attempts, status, error, durationMs, responseBody, createdAt, attemptedAt, nextAttemptAt)
    VALUES (@webhookId, @revision, @type, @keyId, @outcome, @attempts, @status, @error, @durationMs, @responseBody, @at, @at, @next)`);
  sqlite.transaction(() => {
    sqlite.prepare('DELETE FROM Delivery').run();
    sqlite
      .prepare('UPDATE Webhook SET createdAt = ?, cursor = (SELECT MAX(revision) FROM AuditEntry)')
      .run(storedDate(atDay(-20)));
    sqlite
      .prepare("UPDATE Webhook SET disabledAt = ?, disabledReason = 'FAILING' WHERE id = ?")
      .run(storedDate(atDay(-0.1)), last);
    const done = { outcome: 'DELIVERED', attempts: 1, status: 204, error: null, responseBody: '', next: null };
    const failing = {
      outcome: 'PENDING',
      attempts: 3,
      status: 503,
      error: 'The endpoint answered 503.',
      responseBody: '{"error":"deploying, try again"}',
      next: storedDate(new Date(today + hourMs / 2)),
    };
    for (const [index, { action, ...entry }] of entries.entries()) {
      const event = { ...entry, type: eventTypeOf(action), durationMs: 31 + ((index * 17) % 40) };
      add.run({ webhookId: first, ...event, ...(action === 'KEY_ROTATED' ? failing : done) });
      if (action === 'KEY_DISABLED') {
        add.run({ webhookId: second, ...event, ...done });
        add.run({ webhookId: last, ...event, ...failing, outcome: 'FAILED', attempts: 10, next: null });
      }
    }
  })();
  sqlite.close();
}

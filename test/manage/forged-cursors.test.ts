/** Whatever a caller puts in place of a cursor, it is a page or BAD_USER_INPUT, on both databases. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { readAuditLog } from '../../src/manage/read/read-audit-log.ts';
import { listKeys } from '../../src/manage/read/read-keys.ts';
import { readTeamUsage } from '../../src/manage/read/read-usage.ts';
import type { KeyOrderField } from '../../src/store/rows/key-selection.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, rest, sessionToken, startService } from '../support/service.ts';

const orders: readonly KeyOrderField[] = ['CREATED_AT', 'NAME', 'EXPIRES_AT', 'LAST_USED_AT', 'CALLS'];
const utf16 = fc.array(fc.nat(0xffff), { maxLength: 5 }).map((units) => String.fromCharCode(...units));
/** As JSON text, which knows what JavaScript's own values can't be written as. */
const json = fc.oneof(
  fc.constantFrom('-0', '1e999', '-1e999', '8.64e15', '8640000000000001', '-8.64e15', '1.5', '253402300800000'),
  fc.constantFrom('-62135596800001', '-62167219200000', 'null', 'true', '{}', '[]', '"\\u0000"', '"a\\ud800"', '""'),
  fc.double().map((value) => JSON.stringify(value)),
  fc.maxSafeInteger().map(String),
  fc.bigInt().map(String),
  utf16.map((text) => JSON.stringify(text)),
  fc.uuid().map((id) => JSON.stringify(id)),
);
/** Of one kind mostly, so that the forger gets past the first look. */
const forged = (kind: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant(JSON.stringify(kind)), json, json).map((values) => encoded(values)) },
    fc.tuple(fc.constant(JSON.stringify(kind)), json).map((values) => encoded(values)),
    fc.array(json).map((values) => encoded(values)),
    fc.string({ unit: 'binary' }),
  );

function encoded(values: readonly string[]): string {
  return Buffer.from(`[${values.join(',')}]`).toString('base64url');
}

/** UNAVAILABLE, or any other error, would be a fault of ours. */
async function pageOrBadInput(read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    expect(error).toBeInstanceOf(LatchkeyError);
    expect(error).toMatchObject({ code: 'BAD_USER_INPUT' });
  }
}

const running = inTests(() => startService(theProvider));
const teamId = randomUUID();
const caller = callerOf({ [teamId]: both });
beforeAll(async () => {
  for (const name of ['One', 'Two']) {
    await createKey(running.service.management, caller, { teamId, name, env: 'live' });
  }
});

it('a forged cursor of a list of keys, in any order, is a page or BAD_USER_INPUT', async () => {
  const { management } = running.service;
  const order = fc.record({ field: fc.constantFrom(...orders), direction: fc.constantFrom('ASC', 'DESC') });
  const input = order.chain((orderBy) =>
    forged(orderBy.field === 'NAME' ? 'SORTED_NAME' : orderBy.field).map((after) => ({ orderBy, after })),
  );
  await fc.assert(
    fc.asyncProperty(input, (list) =>
      pageOrBadInput(() => listKeys(management, caller, { teamId, first: 1, ...list })),
    ),
    { numRuns: 300 },
  );
});

it('a forged cursor of the audit trail is a page or BAD_USER_INPUT', async () => {
  const { management } = running.service;
  await fc.assert(
    fc.asyncProperty(forged('AUDIT'), (after) =>
      pageOrBadInput(() => readAuditLog(management, caller, { teamId, first: 1, after })),
    ),
    { numRuns: 150 },
  );
});

it('any moment to look before or after is an answer or BAD_USER_INPUT', async () => {
  const { management } = running.service;
  await fc.assert(
    fc.asyncProperty(fc.date({ noInvalidDate: false }), fc.date(), async (moment, other) => {
      const filter = { expiresBefore: moment, unusedSince: other };
      await pageOrBadInput(() => listKeys(management, caller, { teamId, first: 1, filter }));
      await pageOrBadInput(() => readTeamUsage(management, caller, { teamId, from: moment, to: other }));
    }),
    { numRuns: 50 },
  );
});

it.each([
  ['a moment that PostgreSQL does not know', '["CREATED_AT",-8640000000000000,"x"]'],
  ['a year with more than four digits', '["CREATED_AT",253402300800000,"x"]'],
  ['an id with a lone surrogate', '["CREATED_AT",1,"\\ud800"]'],
  ['a name with a NUL', '["SORTED_NAME","\\u0000","x"]'],
])('%s in a cursor is BAD_USER_INPUT', async (_, values) => {
  const field = values.includes('NAME') ? 'NAME' : 'CREATED_AT';
  const after = Buffer.from(values).toString('base64url');
  const input = { teamId, first: 1, after, orderBy: { field, direction: 'DESC' } } as const;
  await expect(listKeys(running.service.management, caller, input)).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    fields: [{ field: 'after' }],
  });
  if (field === 'NAME') return;
  const token = sessionToken({ [teamId]: both });
  const answer = await rest(running.url, token, 'GET', `/v1/keys?teamId=${teamId}&cursor=${after}`);
  expect([answer.status, answer.body.code]).toEqual([400, 'BAD_USER_INPUT']);
});

/** A feed request or a report that is too large or invalid costs no more than its error shows. Counts work, not time. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { parseFeedReport, parseFeedRequest } from '../../src/gateway/request/feed-messages.ts';
import { maxReportRecords } from '../../src/wire/feed-messages.ts';

const edge = randomUUID();
const none = { edge, usage: [], sources: [], rates: [] };
/** As many as fit into a body. */
const many = 170_000;

/** Returns the fields of the error, and the number of entries that were read. */
function costOf(parse: (entries: (length: number, entry?: unknown) => unknown[]) => unknown) {
  let read = 0;
  const entries = (length: number, entry: unknown = {}) =>
    new Proxy(
      Array.from({ length }, () => entry),
      {
        get: (target, name, receiver) => {
          if (typeof name === 'string' && /^\d+$/.test(name)) read += 1;
          return Reflect.get(target, name, receiver);
        },
      },
    );
  try {
    parse(entries);
  } catch (error) {
    if (error instanceof LatchkeyError) return { fields: error.fields.map(({ field }) => field), read };
    throw error;
  }
  throw new Error('nothing was rejected');
}

describe.each(['usage', 'sources', 'rates'] as const)('of a report with too many %s', (field) => {
  it('none is read', () => {
    const alone = costOf((entries) => parseFeedReport({ ...none, [field]: entries(many) }, 0));
    expect(alone).toEqual({ fields: [field], read: 0 });
  });

  it('none is read if other records leave no room for them', () => {
    const both = costOf((entries) =>
      parseFeedReport({ ...none, usage: entries(400), sources: entries(100), rates: [], [field]: entries(401) }, 0),
    );
    expect(both).toEqual({ fields: ['body'], read: 0 });
  });

  it('invalid ones are read until the error is full', () => {
    const { fields, read } = costOf((entries) => parseFeedReport({ ...none, [field]: entries(maxReportRecords) }, 0));
    expect([fields.length, fields.at(-1)]).toEqual([100, 'errors']);
    expect(read).toBeLessThanOrEqual(101);
  });
});

it('of a record with too many counts, none is read', () => {
  const usage = (entries: (length: number) => unknown[]) => [{ counts: entries(many) }, { counts: entries(many) }];
  const { fields, read } = costOf((entries) => parseFeedReport({ ...none, usage: usage(entries) }, 0));
  expect(fields).toEqual(expect.arrayContaining(['usage[0].counts', 'usage[1].counts']));
  expect(read).toBe(0);
});

it.each([
  ['texts', ''],
  ['numbers', 1],
])('of a question with too many %s as keys, none is read', (_, key) => {
  const cost = costOf((entries) => parseFeedRequest({ edge, cursor: null, keys: entries(many, key) }));
  expect(cost).toEqual({ fields: ['keys'], read: 0 });
});

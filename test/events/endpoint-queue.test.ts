/** The queue of an endpoint, through any sequence of answers, replays and reads of the log. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../src/domain/webhook/webhook.ts';
import { EndpointQueue, maxRequests, type QueuedEvent } from '../../src/events/delivery/endpoint-queue.ts';
import type { EntryHead } from '../../src/store/rows/audit-log.ts';

const teamId = randomUUID();
const webhook: Webhook = {
  ...{ id: randomUUID(), teamId, url: 'https://example.com/', description: null, types: ['key.updated'] },
  ...{ form: 'STANDARD', signature: 'V1', secretEnvelope: '', secretVersion: 1 },
  ...{ previousSecretEnvelope: null, previousSecretExpiresAt: null, createdAt: new Date(0) },
  ...{ disabledAt: null, disabledReason: null, cursor: 0n, version: 1 },
};
const windowSize = 8;
const entry = (revision: bigint, keyId: string, isWanted: boolean): EntryHead => ({
  ...{ revision, keyId, teamId, at: new Date(0) },
  action: isWanted ? 'KEY_UPDATED' : 'KEY_CREATED',
});

const action = fc.oneof(
  fc.record({ kind: fc.constant('append'), key: fc.nat(2), isWanted: fc.boolean() }),
  fc.record({ kind: fc.constant('send') }),
  fc.record({ kind: fc.constant('settle'), which: fc.nat(1) }),
  fc.record({ kind: fc.constant('retry'), which: fc.nat(1), delayMs: fc.nat(50) }),
  fc.record({ kind: fc.constant('replay'), which: fc.nat(40) }),
  fc.record({ kind: fc.constant('pass'), ms: fc.nat(50) }),
);

describe('the queue of an endpoint', () => {
  it('sends each event, of each key in order and one at a time, and its cursor passes none that is not settled', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const queue = new EndpointQueue(webhook, windowSize);
        const log: EntryHead[] = [];
        const settled = new Set<bigint>();
        const underWay: QueuedEvent[] = [];
        const replayed = new Set<bigint>();
        let nowMs = 1;
        const readLog = () => queue.append(log.slice(Number(queue.loadedUntil)), new Map(), nowMs);
        const send = () => {
          const event = queue.take(nowMs);
          if (event === null) return null;
          expect(underWay.map(({ keyId }) => keyId)).not.toContain(event.keyId);
          // Everything of this key before it is settled, unless it is sent again.
          const before = log.filter((e) => e.keyId === event.keyId && e.revision < event.revision && isWanted(e));
          const isFirst = !settled.has(event.revision);
          if (isFirst) for (const { revision } of before) expect(settled).toContain(revision);
          underWay.push(event);
          expect(underWay.length).toBeLessThanOrEqual(maxRequests);
          return event;
        };
        const settle = (event: QueuedEvent) => {
          queue.settle(event);
          settled.add(event.revision);
        };
        const check = () => {
          for (const e of log) if (e.revision <= queue.cursor && isWanted(e)) expect(settled).toContain(e.revision);
          expect(queue.length).toBeLessThanOrEqual(windowSize + replayed.size);
        };
        for (const step of actions) {
          if (step.kind === 'append') {
            log.push(
              entry(BigInt(log.length + 1), `key ${'key' in step ? step.key : 0}`, 'isWanted' in step && step.isWanted),
            );
            readLog();
          } else if (step.kind === 'send') send();
          else if (step.kind === 'pass') nowMs += 'ms' in step ? step.ms : 0;
          else if (step.kind === 'replay') {
            const e = log['which' in step ? step.which : 0];
            if (e === undefined || !isWanted(e) || e.revision > queue.loadedUntil) continue;
            replayed.add(e.revision);
            const state = {
              outcome: 'PENDING',
              attempts: 0,
              createdAt: new Date(nowMs),
              ...{ status: null, attemptedAt: null },
              nextAttemptAt: new Date(0),
            } as const;
            queue.addPending([{ ...state, revision: e.revision, type: 'key.updated', keyId: e.keyId }], true);
          } else {
            const [event] = underWay.splice('which' in step ? step.which : 0, 1);
            if (event === undefined) continue;
            if (step.kind === 'settle') settle(event);
            else queue.retry(event, nowMs + ('delayMs' in step ? step.delayMs : 0));
            readLog();
          }
          check();
        }
        // In the end, everything is sent.
        for (const event of underWay.splice(0)) settle(event);
        for (let i = 0; i < 10 * (log.length + 1); i += 1) {
          nowMs += 100;
          readLog();
          const event = send();
          if (event === null) continue;
          underWay.pop();
          settle(event);
          check();
        }
        readLog();
        expect(queue.length).toBe(0);
        expect(queue.cursor).toBe(BigInt(log.length));
      }),
      { numRuns: 300 },
    );
  });

  it('waits as long as Retry-After asked another instance, and not for the delays of the schedule', () => {
    const stored = (nextAttemptMs: number) => ({
      ...({ revision: 1n, type: 'key.updated', keyId: 'key 1', outcome: 'PENDING', attempts: 1, status: 503 } as const),
      ...{ createdAt: new Date(0), attemptedAt: new Date(0), nextAttemptAt: new Date(nextAttemptMs) },
    });
    for (const [waitMs, isPaused] of [
      [60_000, true],
      [5_500, false],
    ] as const) {
      const queue = new EndpointQueue(webhook, windowSize);
      queue.append([entry(1n, 'key 1', true), entry(2n, 'key 2', true)], new Map([[1n, stored(waitMs)]]), 1000);
      expect(queue.canSend(5000)).toBe(!isPaused);
      expect(queue.canSend(60_000)).toBe(true);
    }
  });
});

function isWanted({ action: of }: EntryHead): boolean {
  return of === 'KEY_UPDATED';
}

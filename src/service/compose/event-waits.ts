import { setTimeout as sleep } from 'node:timers/promises';
import type { LogTail } from '../../events/log-tail.ts';
import type { Management } from '../../manage/management.ts';

/** Lets calls wait for entries of the log. `stop` ends all waits, so that the calls are answered before the service stops. */
export function eventWaits(logTail: Pick<LogTail, 'waitFor'>) {
  const stopping = new AbortController();
  const waitForEvents: Management['waitForEvents'] = async (teamId, after, { timeoutMs, pauseMs, signal: ended }) => {
    const signal = AbortSignal.any([ended, stopping.signal]);
    await sleep(Math.min(pauseMs, timeoutMs), undefined, { signal }).catch(() => undefined);
    await logTail.waitFor(teamId, after, Math.max(timeoutMs - pauseMs, 0), signal);
    return !stopping.signal.aborted;
  };
  return { waitForEvents, stop: () => stopping.abort() };
}

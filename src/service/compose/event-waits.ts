import type { LogTail } from '../../events/log-tail.ts';
import type { Management } from '../../manage/management.ts';

/** Lets calls wait for entries of the log. `stop` ends all waits, so that the calls are answered before the service stops. */
export function eventWaits(logTail: Pick<LogTail, 'waitFor'>) {
  const stopping = new AbortController();
  const waitForEvents: Management['waitForEvents'] = async (awaited, timeoutMs, ended) => {
    await logTail.waitFor(awaited, timeoutMs, AbortSignal.any([ended, stopping.signal]));
    return !stopping.signal.aborted;
  };
  return { waitForEvents, stop: () => stopping.abort() };
}

import { useEffect, useRef } from 'react';

/** Gives each run of a task a signal, which aborts on request, on the next run, and when the user leaves the page. */
export function useAbort() {
  const current = useRef(new AbortController());
  useEffect(() => () => current.current.abort(), []);
  const abort = () => current.current.abort();
  const begin = (): AbortSignal => {
    abort();
    current.current = new AbortController();
    return current.current.signal;
  };
  return { begin, abort };
}

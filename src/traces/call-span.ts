import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './spans.ts';

/**
 * The span of the management call that the current code serves, if the call is traced. Verification does not use it: its
 * requests carry their span, so that they pay nothing for it.
 */
export const callSpan = new AsyncLocalStorage<Span>();

/** For calls with a management key that no test limits. */
import type { CallLimit } from '../../src/manage/access/authenticate-management-key.ts';

export const unlimitedCalls: CallLimit = { check: () => undefined, count: () => undefined };

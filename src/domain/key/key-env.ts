/** The environment of a key. A separate file, because @latchkey/client contains all files that it imports. */
export type KeyEnv = 'live' | 'test';

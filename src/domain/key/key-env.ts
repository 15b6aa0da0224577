/** The environment of a key. In a file of its own, because the package @latchkey/client contains every file it imports. */
export type KeyEnv = 'live' | 'test';

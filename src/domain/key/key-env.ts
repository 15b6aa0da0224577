/** The environment of a key. A separate file, because @latchkey/client contains all files that it imports. */
export const keyEnvs = ['live', 'test'] as const;
export type KeyEnv = (typeof keyEnvs)[number];

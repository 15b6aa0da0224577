import type { ApiKey } from '../key/api-key.ts';
import type { RateLimit } from '../key/rate-limit.ts';
import type { KeySettingsInput } from '../key/settings.ts';

/**
 * The settings that a new key gets where its creator gives none. For creation only: a PUT is the whole state of a key, and
 * must mean the same after a change of the policy; an import is of keys that exist.
 */
export interface KeyDefaults {
  /** From the creation to the expiry; null: no expiry. */
  readonly lifetimeSeconds: number | null;
  readonly allowedIps: readonly string[];
  readonly scopes: readonly string[];
  readonly rateLimit: RateLimit | null;
}

export const noDefaults: KeyDefaults = { lifetimeSeconds: null, allowedIps: [], scopes: [], rateLimit: null };

/** Returns a new key with the defaults for what is absent in the input. Null and an empty list are choices of the creator. */
export function withDefaults(key: ApiKey, input: KeySettingsInput, defaults: KeyDefaults): ApiKey {
  const { lifetimeSeconds, allowedIps, scopes, rateLimit } = defaults;
  const expiresAt = lifetimeSeconds === null ? null : new Date(key.createdAt.getTime() + lifetimeSeconds * 1000);
  return {
    ...key,
    ...(input.expiresAt === undefined && { expiresAt }),
    ...(input.allowedIps === undefined && { allowedIps }),
    ...(input.scopes === undefined && { scopes }),
    ...(input.rateLimit === undefined && { rateLimit }),
  };
}

import type { Configuration } from '../../config/configuration.ts';
import type { ExtAuthzPort } from '../../gateway/ext-authz/server.ts';
import type { PortOptions } from '../../gateway/options.ts';

/** Returns the port for Envoy's external authorization, which does not listen yet; null without EXT_AUTHZ_PORT. */
export async function extAuthzPort(
  { EXT_AUTHZ_PORT, EXT_AUTHZ_WITHOUT_TOKEN }: Configuration,
  options: PortOptions,
): Promise<ExtAuthzPort | null> {
  if (EXT_AUTHZ_PORT === undefined) return null;
  // gRPC takes memory and start time, so it is loaded only if it is needed.
  const { createExtAuthzPort } = await import('../../gateway/ext-authz/server.ts');
  return createExtAuthzPort(EXT_AUTHZ_WITHOUT_TOKEN ? { ...options, tokens: null } : options);
}

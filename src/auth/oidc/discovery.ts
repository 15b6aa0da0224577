import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  clockTolerance,
  customFetch,
  discovery,
  None,
  type ServerMetadata,
} from 'openid-client';
import { boundedFetch } from '../../lib/bounded-fetch.ts';
import { jwksTokenKeys } from '../key-set.ts';
import { clockSkewSeconds } from '../session-token.ts';
import type { TokenKeys } from '../token-keys.ts';
import { discoveryErrorOf, ProviderError } from './provider-errors.ts';

export interface Client {
  readonly issuer: URL;
  readonly clientId: string;
  /** Undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
}

/** What the provider published about itself (OpenID Connect Discovery), and the keys that sign its tokens. */
export interface Discovered {
  readonly configuration: Configuration;
  readonly issuer: string;
  readonly keys: TokenKeys;
}

const maxAgeMs = 60 * 60_000;
/** Short, so that a recovery of the provider is noticed within a second. */
const pauseMs = 1000;
const timeoutSeconds = 5;

/** Discovers the provider when it is needed first, and again after an hour. Meanwhile, a failure leaves what was known. */
export class Discovery {
  readonly #client: Client;
  #known: Discovered | null = null;
  #discoveredAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure = new ProviderError('it was not asked yet', true);
  #running: Promise<void> | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Throws ProviderError. */
  async get(nowMs = performance.now()): Promise<Discovered> {
    const isDue = nowMs - this.#discoveredAt > maxAgeMs && nowMs - this.#failedAt > pauseMs;
    if (isDue || this.#running !== null) {
      this.#running ??= this.#discover(nowMs).finally(() => {
        this.#running = null;
      });
      if (this.#known === null) await this.#running;
      else this.#running.catch(() => undefined);
    }
    if (this.#known === null) throw this.#failure;
    return this.#known;
  }

  async #discover(nowMs: number): Promise<void> {
    const { issuer, clientId, clientSecret } = this.#client;
    try {
      const configuration = await discovery(
        issuer,
        clientId,
        { [clockTolerance]: clockSkewSeconds },
        // Chosen below, because it depends on what the provider supports.
        (...request) => authentication(configuration, clientSecret)(...request),
        // Without TLS only on the loopback interface, which the configuration checks.
        {
          [customFetch]: (url, { body = null, ...options }) => boundedFetch(url, { ...options, body }),
          timeout: timeoutSeconds,
          execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
        },
      );
      this.#known = this.#discovered(configuration);
      this.#discoveredAt = nowMs;
    } catch (error) {
      this.#failedAt = nowMs;
      this.#failure = discoveryErrorOf(error);
      throw this.#failure;
    }
  }

  #discovered(configuration: Configuration): Discovered {
    const metadata = configuration.serverMetadata();
    const problem = providerMetadataProblem(metadata);
    if (problem !== null) throw new ProviderError(`its discovery document ${problem}`, false);
    const keysUrl = String(metadata.jwks_uri);
    const before = this.#known;
    const isSame = before !== null && before.configuration.serverMetadata().jwks_uri === keysUrl;
    return { configuration, issuer: metadata.issuer, keys: isSame ? before.keys : jwksTokenKeys(keysUrl) };
  }
}

/** Returns what is wrong with the members that are needed (OpenID Connect Discovery, section 3); null if nothing is. */
export function providerMetadataProblem(metadata: ServerMetadata): string | null {
  const isTlsNeeded = metadata.issuer.startsWith('https:');
  const urls = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const;
  for (const name of urls) {
    const url: unknown = metadata[name] ?? undefined;
    if (url === undefined && name === 'userinfo_endpoint') continue;
    if (url === undefined) return `has no ${name}`;
    const protocol = typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : '';
    if (protocol !== 'https:' && (isTlsNeeded || protocol !== 'http:')) {
      return `has no ${isTlsNeeded ? 'https ' : ''}URL as ${name}`;
    }
  }
  const { id_token_signing_alg_values_supported: algorithms } = metadata;
  const isSupported = !Array.isArray(algorithms) || algorithms.some((name) => ['RS256', 'ES256'].includes(name));
  return isSupported ? null : 'names neither RS256 nor ES256 in id_token_signing_alg_values_supported';
}

/** Prefers what clients are registered for without another choice (OpenID Connect Core, section 9). */
function authentication(configuration: Configuration, secret: string | undefined) {
  if (secret === undefined) return None();
  const { token_endpoint_auth_methods_supported: supported = ['client_secret_basic'] } = configuration.serverMetadata();
  return supported.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

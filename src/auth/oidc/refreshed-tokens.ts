import { createHash } from 'node:crypto';
import { type Configuration, refreshTokenGrant, type TokenEndpointResponse } from 'openid-client';
import { LruMap } from '../../lib/lru-map.ts';

export type Tokens = Pick<TokenEndpointResponse, 'access_token' | 'refresh_token' | 'id_token'>;

export interface RefreshedTokens {
  readonly tokens: Tokens;
  /** The provider wrote the permissions in them at this time, or later. */
  readonly askedAt: Date;
}

/** How long the answer to a refresh token is remembered, for a browser that did not receive it or asked twice. */
const rememberedMs = 60_000;
const maxRemembered = 1000;

/** Uses each refresh token once, because providers end the session when a replaced one is used again. */
export class TokenRefresh {
  /** By digest of the refresh token. */
  readonly #answers = new LruMap<Promise<RefreshedTokens>>(maxRemembered);

  async refresh(refreshToken: string, configuration: Configuration): Promise<RefreshedTokens> {
    const name = createHash('sha256').update(refreshToken).digest('base64url');
    const known = this.#answers.get(name);
    if (known !== undefined) return await known;
    const askedAt = new Date();
    const answer = refreshTokenGrant(configuration, refreshToken).then((tokens) => ({ tokens, askedAt }));
    this.#answers.set(name, answer);
    const forget = () => this.#answers.delete(name);
    answer.then(() => setTimeout(forget, rememberedMs).unref(), forget);
    return await answer;
  }
}

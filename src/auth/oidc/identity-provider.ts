/** Sign-in with OpenID Connect: the authorization code flow with PKCE, and renewal of permissions. */
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  genericGrantRequest,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  tokenRevocation,
} from 'openid-client';
import type { Logger } from 'pino';
import type { Session } from '../../domain/key/permission.ts';
import { claimAt } from '../../lib/claim-at.ts';
import type { ProviderSession } from '../browser-session.ts';
import { problemOfKeySet } from '../key-set.ts';
import { NoTeamsError, sessionOf } from '../session-token.ts';
import { type ClaimRules, describeClaims, type TokenClaims } from '../team-claims.ts';
import { type Client, type Discovered, Discovery } from './discovery.ts';
import {
  isClientRejected,
  isEnded,
  keysProblem,
  ProviderError,
  providerProblem,
  SignInError,
} from './provider-errors.ts';
import { verifyIdToken, verifyLogoutToken } from './provider-tokens.ts';
import { TokenRefresh, type Tokens } from './refreshed-tokens.ts';
import { userInfo } from './user-info.ts';

export interface ProviderOptions extends Client {
  readonly scopes: string;
  /** The origin of the dashboard. */
  readonly publicUrl: URL;
  readonly claims: ClaimRules;
}

/** What the browser that started a sign-in keeps, so that only it can finish it. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface SignedIn {
  readonly session: Session;
  readonly provider: ProviderSession;
}

export interface Renewal extends SignedIn {
  /** The permissions are as the provider knew them at this time, or later. */
  readonly askedAt: Date;
}

/** The provider does not say which permissions the user has now. Those that are known are still relied on for a while. */
export interface Unconfirmed {
  readonly unconfirmed: string;
  readonly provider: ProviderSession;
}

export interface EndedByProvider {
  readonly ended: string;
  /** Whether the provider answered, and names no teams anymore. */
  readonly isWithoutTeams?: boolean;
}

export class IdentityProvider {
  readonly #discovery: Discovery;
  readonly #options: ProviderOptions;
  readonly #tokens = new TokenRefresh();

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.#discovery = new Discovery(options);
  }

  /** Returns why the provider can't be used now, or null if it can. */
  async problem(): Promise<string | null> {
    try {
      const { configuration } = await this.#discovery.get();
      const problem = await problemOfKeySet(String(configuration.serverMetadata().jwks_uri), undefined, {
        isIdNeeded: false,
      });
      return problem === null ? null : keysProblem(problem);
    } catch (error) {
      return providerProblem(error);
    }
  }

  /**
   * Returns why the provider rejects the credentials of this client; null if it accepts them, undefined if its answer does
   * not say. Redeems a code that no provider has issued: a provider authenticates the client first (RFC 6749, section 3.2.1).
   */
  async credentialsProblem(): Promise<string | null | undefined> {
    const { configuration } = await this.#discovery.get();
    const code = { code: randomState(), redirect_uri: this.#redirectUrl.href, code_verifier: randomPKCECodeVerifier() };
    try {
      await genericGrantRequest(configuration, 'authorization_code', code);
    } catch (error) {
      if (isClientRejected(error)) return providerProblem(error);
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return null;
    }
    return undefined;
  }

  /** Returns the page of the provider. Throws UNAVAILABLE. */
  async startSignIn(): Promise<{ readonly url: URL; readonly checks: SignInChecks }> {
    const { configuration } = await this.#discovery.get();
    const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUrl.href,
      scope: this.#options.scopes,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, checks };
  }

  /**
   * Exchanges the code of the callback. openid-client checks state, `iss`, nonce, `aud`, `azp` and `exp`; the signature
   * is checked with the keys that the provider publishes. Throws SignInError, or an error of openid-client.
   *
   * @param query the query of the callback, with the question mark
   */
  async finishSignIn(query: string, { state, nonce, codeVerifier }: SignInChecks): Promise<SignedIn> {
    const discovered = await this.#discovery.get();
    const url = new URL(query, this.#redirectUrl);
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    };
    const tokens = await authorizationCodeGrant(discovered.configuration, url, checks);
    const claims = await this.#idClaims(tokens, discovered);
    if (claims === null) throw new SignInError('rejected', 'the answer has no ID token');
    const session = await this.#sessionOf(claims, claims.sub, tokens.access_token, discovered);
    const provider = {
      issuer: discovered.issuer,
      startedAt: new Date(claims.iat * 1000),
      sessionId: claims.sid,
      idToken: tokens.id_token,
      ...tokensToKeep(tokens),
    };
    return { session, provider };
  }

  /** Reads the permissions again. Throws UNAVAILABLE if the provider does not answer, so that a retry can succeed. */
  async renew({ subject }: Session, provider: ProviderSession): Promise<Renewal | Unconfirmed | EndedByProvider> {
    const discovered = await this.#discovery.get();
    if (provider.issuer !== discovered.issuer) return { ended: 'another issuer is configured' };
    try {
      const { refreshToken } = provider;
      const { tokens, askedAt } =
        refreshToken === undefined
          ? { tokens: null, askedAt: new Date() }
          : await this.#tokens.refresh(refreshToken, discovered.configuration);
      const accessToken = tokens?.access_token ?? provider.accessToken;
      const claims = tokens === null ? null : await this.#idClaims(tokens, discovered);
      if (claims !== null && claims.sub !== subject) return { ended: 'the ID token has another subject' };
      if (accessToken === undefined) return { ended: 'there is no token to ask with' };
      const kept = tokens === null ? {} : tokensToKeep(tokens, provider);
      const renewed = { ...provider, idToken: tokens?.id_token ?? provider.idToken, ...kept };
      try {
        const session = await this.#sessionOf(claims ?? {}, subject, accessToken, discovered);
        return { session, askedAt, provider: renewed };
      } catch (error) {
        // OpenID Connect Core, section 12.2: a refresh can bring no ID token, and userinfo can have fewer claims.
        const isRejected = tokens !== null && isEnded(error);
        if (claims !== null || !(hasNoTeams(error) || isRejected)) throw error;
        const problem = `there is no new ID token, and userinfo does not replace it: ${providerProblem(error)}`;
        return { unconfirmed: problem, provider: renewed };
      }
    } catch (error) {
      // A token that can't be checked may be under a new key of the provider, which is known at the next attempt.
      const isWithoutTeams = hasNoTeams(error);
      if (isWithoutTeams || isEnded(error)) return { ended: providerProblem(error), isWithoutTeams };
      throw error instanceof ProviderError ? error : new ProviderError(providerProblem(error), true);
    }
  }

  /** Returns whose sessions a logout token ends. Throws SignInError, or UNAVAILABLE. */
  async verifyLogout(token: string) {
    const { issuer, keys } = await this.#discovery.get();
    return { issuer, ...(await verifyLogoutToken(token, keys, issuer, this.#options.clientId)) };
  }

  /**
   * Returns the page that ends the provider's own session (RP-initiated logout); null if it has none, or is not known
   * because the provider does not answer. Also makes the tokens useless, if the provider supports it (RFC 7009).
   */
  async endSession(
    { issuer, idToken, refreshToken, accessToken }: ProviderSession,
    log: Pick<Logger, 'warn'>,
  ): Promise<URL | null> {
    const discovered = await this.#discovery.get().catch(() => null);
    if (discovered === null || issuer !== discovered.issuer) return null;
    const { configuration } = discovered;
    const { revocation_endpoint: revocation, end_session_endpoint: page } = configuration.serverMetadata();
    const token = refreshToken ?? accessToken;
    if (revocation !== undefined && token !== undefined) {
      // The user does not wait for it: the session has ended here already.
      void tokenRevocation(configuration, token).catch((error) => {
        log.warn({ problem: providerProblem(error) }, 'the tokens of a session could not be revoked');
      });
    }
    if (page === undefined) return null;
    const hint = idToken === undefined ? {} : { id_token_hint: idToken };
    return buildEndSessionUrl(configuration, { post_logout_redirect_uri: this.#options.publicUrl.href, ...hint });
  }

  get #redirectUrl(): URL {
    return new URL('/session/callback', this.#options.publicUrl);
  }

  async #idClaims(tokens: Tokens, { keys, issuer }: Discovered) {
    const { id_token: idToken } = tokens;
    return idToken === undefined ? null : await verifyIdToken(idToken, keys, issuer, this.#options.clientId);
  }

  /** Takes the teams from the ID token. If it has none, asks for them. */
  async #sessionOf(
    claims: TokenClaims,
    subject: string,
    accessToken: string,
    discovered: Discovered,
  ): Promise<Session> {
    const rules = this.#options.claims;
    const hasTeams = (claimAt(claims, rules.teamsClaim) ?? null) !== null;
    const all = hasTeams ? claims : { ...claims, ...(await userInfo(discovered, accessToken, subject)) };
    try {
      return sessionOf({ ...all, sub: subject }, rules);
    } catch (error) {
      if (!(error instanceof NoTeamsError)) throw new SignInError('rejected', providerProblem(error));
      throw new SignInError('no-teams', `${error.problem}; the provider sent: ${describeClaims(all)}`);
    }
  }
}

function hasNoTeams(error: unknown): boolean {
  return error instanceof SignInError && error.failure === 'no-teams';
}

/** Keeps the access token only where there is no refresh token, because a cookie is small. */
function tokensToKeep(tokens: Tokens, before?: ProviderSession) {
  const refreshToken = tokens.refresh_token ?? before?.refreshToken;
  return refreshToken === undefined ? { accessToken: tokens.access_token } : { refreshToken };
}

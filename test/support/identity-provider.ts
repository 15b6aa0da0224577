/** An OpenID Connect provider on the loopback interface (oidc-provider), which signs in its user without a page. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { SignJWT } from 'jose';
import Provider, { type AdapterFactory, type Configuration } from 'oidc-provider';
// @ts-expect-error @types/oidc-provider does not describe this file.
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { freePort } from './free-port.ts';

type Claims = Readonly<Record<string, unknown>>;

interface ProviderSettings {
  /** The origin of Latchkey. */
  readonly publicUrl: string;
  readonly issuesRefreshTokens?: boolean;
  /** Whether ID tokens have the teams; otherwise only userinfo has them. */
  readonly teamsInIdToken?: boolean;
}

export const clientId = 'latchkey';
export const clientSecret = 'a secret of the client: with +/% and more';

/** The variables of a Latchkey whose users sign in there. */
type ProviderEnvironment = Readonly<Record<string, string>>;

export interface Behavior {
  /** Who signs in; null if the provider denies it. */
  subject: string | null;
  /** The teams of the user, as the provider knows them. Undefined: no claim. */
  teams: unknown;
  /** Changes the claims of the next ID tokens, or what signs them. */
  tamper: ((claims: Claims) => { readonly claims?: Claims; readonly key?: KeyObject; readonly kid?: string }) | null;
  /** Changes the body of an answer, at `/token` or, for userinfo, at `/me`. A text is sent as a JWT. */
  answer: ((path: string, body: Claims) => Claims | string | Promise<string>) | null;
  isDown: boolean;
  /** Requests for tokens are answered after it. */
  delay: Promise<void> | null;
  /** How long codes can be used. */
  codeSeconds: number;
  /** Where messages to `publicUrl` go, if no proxy listens there. */
  latchkeyUrl: string | null;
}

export class TestProvider {
  readonly issuer: string;
  /** What it does now. Tests change it. */
  readonly behavior: Behavior = {
    subject: 'alice',
    teams: {},
    tamper: null,
    answer: null,
    isDown: false,
    delay: null,
    codeSeconds: 60,
    latchkeyUrl: null,
  };
  /** The paths of the requests that reached it. */
  readonly requests: string[] = [];
  /** Their Authorization headers. */
  readonly authorizations: (string | undefined)[] = [];
  readonly #settings: Required<ProviderSettings>;
  #key = newKey();
  #provider: Provider;
  #server: Server;

  private constructor(port: number, settings: ProviderSettings) {
    this.issuer = `http://127.0.0.1:${port}`;
    this.#settings = { issuesRefreshTokens: true, teamsInIdToken: true, ...settings };
    this.#provider = this.#create();
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', this.issuer);
      this.requests.push(pathname);
      this.authorizations.push(request.headers.authorization);
      if (this.behavior.isDown) request.socket.destroy();
      else if (pathname.startsWith('/interaction/')) {
        void this.#interact(request, response);
      } else void this.#provider.callback()(request, response);
    });
  }

  static async start(settings: ProviderSettings): Promise<TestProvider> {
    const port = await freePort();
    const provider = new TestProvider(port, settings);
    await new Promise<void>((resolve) => provider.#server.listen(port, '127.0.0.1', resolve));
    return provider;
  }

  get environment(): ProviderEnvironment {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      PUBLIC_URL: this.#settings.publicUrl,
    };
  }

  /** Replaces the signing key: tokens name another one, and the old one is no longer published. */
  readonly rotateKey = (): void => {
    this.#key = newKey();
    this.#provider = this.#create();
  };

  /** Returns a JWT with these claims alone. */
  readonly sign = async (claims: Claims, { key = this.#key.privateKey, kid = this.#key.kid } = {}) =>
    await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(key);

  /** Returns a logout token, with other claims than the provider would choose. */
  readonly logoutToken = async (claims: Claims, { key = this.#key.privateKey, type = 'logout+jwt' } = {}) => {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const now = Math.floor(Date.now() / 1000);
    return await new SignJWT({ iss: this.issuer, aud: clientId, iat: now, jti: randomUUID(), events, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: this.#key.kid, typ: type })
      .sign(key);
  };

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #create(): Provider {
    const provider = new Provider(this.issuer, configuration(this, this.#settings, this.#key));
    provider.use(async (context, next) => {
      await next();
      if (context.path === '/token') await this.behavior.delay;
      const { answer, tamper } = this.behavior;
      if (answer !== null && ['/token', '/me'].includes(context.path)) {
        const body = await answer(context.path, JSON.parse(JSON.stringify(context.body)));
        context.body = body;
        if (typeof body === 'string') context.type = 'application/jwt';
      }
      const body: unknown = context.body;
      if (context.path !== '/token' || tamper === null || typeof body !== 'object' || body === null) return;
      const idToken: unknown = Reflect.get(body, 'id_token');
      if (typeof idToken === 'string') context.body = { ...body, id_token: await this.#tampered(idToken) };
    });
    return provider;
  }

  async #tampered(idToken: string): Promise<string> {
    const before: Claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
    const { claims = before, key = this.#key.privateKey, kid = this.#key.kid } = this.behavior.tamper?.(before) ?? {};
    return await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(key);
  }

  /** Signs the user in, and lets the client have everything that it asks for. */
  async #interact(...[request, response]: Parameters<Provider['interactionDetails']>): Promise<void> {
    const { params, prompt } = await this.#provider.interactionDetails(request, response);
    if (this.behavior.subject === null) {
      await this.#provider.interactionFinished(request, response, { error: 'access_denied' });
      return;
    }
    const result = prompt.name === 'login' ? { login: { accountId: this.behavior.subject } } : {};
    const grant = new this.#provider.Grant({ accountId: this.behavior.subject, clientId });
    grant.addOIDCScope(String(params.scope));
    const consent = { grantId: await grant.save() };
    await this.#provider.interactionFinished(request, response, { ...result, consent });
  }
}

function configuration(
  own: TestProvider,
  { publicUrl, issuesRefreshTokens, teamsInIdToken }: Required<ProviderSettings>,
  { privateKey, kid }: ReturnType<typeof newKey>,
): Configuration {
  const adapter: AdapterFactory = createMemoryAdapter();
  return {
    adapter,
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${publicUrl}/session/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        backchannel_logout_uri: `${publicUrl}/session/back-channel-logout`,
        backchannel_logout_session_required: true,
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }] },
    cookies: { keys: ['a key for cookies'] },
    claims: { openid: ['sub', 'teams'] },
    conformIdTokenClaims: false,
    scopes: ['openid', 'offline_access'],
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      // The provider warns of its defaults.
      revocation: { enabled: true, allowedPolicy: async (_, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: {
        logoutSource: async (context, form) => {
          const confirm = '<button form="op.logoutForm" value="yes" name="logout">Yes, sign me out</button>';
          context.body = `<!DOCTYPE html><title>Logout Request</title>${form}${confirm}`;
        },
      },
    },
    fetch: (url, options) => {
      // Its own default has no connections to the loopback interface.
      const { dispatcher: _, ...rest } = options as RequestInit & { dispatcher?: unknown };
      const { pathname, origin } = new URL(String(url));
      return fetch(
        origin === publicUrl && own.behavior.latchkeyUrl !== null ? own.behavior.latchkeyUrl + pathname : url,
        rest,
      );
    },
    findAccount: (_, accountId) => ({
      accountId,
      claims: (use) => {
        const { teams } = own.behavior;
        return { sub: accountId, ...(teams === undefined || (use === 'id_token' && !teamsInIdToken) ? {} : { teams }) };
      },
    }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => issuesRefreshTokens,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: () => own.behavior.codeSeconds,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 3600,
    },
  };
}

function newKey() {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }), kid: randomUUID() };
}

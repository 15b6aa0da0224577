/** `POST /v1/token`: exchanges the token of a workload, such as a job of CI, for a short one (RFC 8693). */
import { type RequestHandler, Router } from 'express';
import { type ExchangedTokens, exchangedSeconds } from '../auth/exchanged-token.ts';
import type { TrustedIssuers } from '../auth/trusted-issuers.ts';
import type { TrustRule } from '../domain/access/trust-rule.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { isUuid } from '../lib/uuid.ts';
import { exchangeToken } from '../manage/access/exchange-token.ts';
import type { Management } from '../manage/management.ts';
import { readBody } from './json-body.ts';
import type { RateLimits } from './rate-limits.ts';
import { sourceOf } from './source-of.ts';

export interface TokenRouterParts {
  readonly management: Management;
  readonly issuers: TrustedIssuers;
  readonly exchanged: ExchangedTokens;
  readonly rateLimits: RateLimits;
  /** Takes a slot for a caller that is not known yet: the keys of an issuer can be slow to arrive. */
  readonly enter: RequestHandler;
}

export const tokenPath = '/v1/token';

export function tokenRouter(parts: TokenRouterParts): Router {
  const router = Router();
  router.post(tokenPath, readBody, parts.enter, exchange(parts));
  router.all(tokenPath, ({ method }, response) => {
    response.setHeader('allow', 'POST');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', `${method} is not supported at this path.`);
  });
  return router;
}

const jwtType = 'urn:ietf:params:oauth:token-type:jwt';
const accessType = 'urn:ietf:params:oauth:token-type:access_token';
const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The error codes of RFC 6749, section 5.2. */
type OAuthError = 'invalid_request' | 'unsupported_grant_type' | 'invalid_grant' | 'invalid_target';

class ExchangeError extends Error {
  readonly code: OAuthError;

  constructor(code: OAuthError, message: string) {
    super(message);
    this.code = code;
  }
}

function exchange({ management, issuers, exchanged, rateLimits }: TokenRouterParts): RequestHandler {
  return async (request, response) => {
    const now = new Date();
    response.setHeader('cache-control', 'no-store');
    try {
      const form = formOf(request.headers['content-type'], request.body);
      const { teamId, subjectToken } = parse(form);
      const { rule, subject, expiresAt } = await rateLimits.countingFailures(sourceOf(request), async () => {
        const token = await issuers.check(subjectToken, now);
        const count = ({ id }: TrustRule) => rateLimits.countSession(`trust rule ${id}`);
        return { ...token, rule: await exchangeToken(management, { ...token, teamId, now }, count) };
      });
      const end = new Date(Math.min(expiresAt.getTime(), now.getTime() + exchangedSeconds * 1000));
      const token = await exchanged.seal({ ruleId: rule.id, subject, expiresAt: end });
      response.json({
        access_token: token,
        issued_token_type: accessType,
        token_type: 'Bearer',
        expires_in: Math.floor((end.getTime() - now.getTime()) / 1000),
      });
    } catch (error) {
      const rejection = rejectionOf(error);
      if (rejection === null) throw error;
      response.status(400).json({ error: rejection.code, error_description: rejection.message });
    }
  };
}

/** A rejected token is an invalid grant. Rate limits, and a store or an issuer that do not answer, are problems of ours. */
function rejectionOf(error: unknown): ExchangeError | null {
  if (error instanceof ExchangeError) return error;
  if (error instanceof LatchkeyError && error.code === 'UNAUTHENTICATED') {
    return new ExchangeError('invalid_grant', error.message);
  }
  return null;
}

function formOf(type: string | undefined, body: unknown): URLSearchParams {
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type ?? '');
  if (!isForm || !Buffer.isBuffer(body)) {
    throw new ExchangeError('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  return new URLSearchParams(body.toString('utf8'));
}

function parse(form: URLSearchParams): { readonly teamId: string; readonly subjectToken: string } {
  const only = (name: string): string => {
    const [value, ...others] = form.getAll(name);
    if (value === undefined || value === '' || others.length > 0) {
      throw new ExchangeError('invalid_request', `${name} must be given once.`);
    }
    return value;
  };
  if (only('grant_type') !== tokenExchange) {
    throw new ExchangeError('unsupported_grant_type', `grant_type must be ${tokenExchange}.`);
  }
  if (only('subject_token_type') !== jwtType) {
    throw new ExchangeError('invalid_request', `subject_token_type must be ${jwtType}.`);
  }
  const teamId = only('audience').toLowerCase();
  if (!isUuid(teamId)) throw new ExchangeError('invalid_target', 'audience must be the id of a team, a UUID.');
  return { teamId, subjectToken: only('subject_token') };
}

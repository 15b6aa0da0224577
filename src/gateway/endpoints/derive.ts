/** `POST /v1/derive`: the holder of a key gets a token that may do a part of what the key may (domain/derived). */
import { type DerivedToken, labelShape, mintDerived } from '../../domain/derived/derived-token.ts';
import { badInput, errorsPath, type FieldError, LatchkeyError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { problemMediaType, problemOf } from '../../domain/problem.ts';
import { isDerived } from '../../domain/secret/secret-shape.ts';
import { parseAllowedSource } from '../../domain/source/allowed-source.ts';
import { rejections } from '../../domain/verdict/checks.ts';
import type { Outcome, VerificationCall } from '../../domain/verdict/verification-call.ts';
import { isJsonObject, isStringList } from '../../lib/json-object.ts';
import { checkCapacity } from '../capacity.ts';
import { sendError } from '../errors.ts';
import { type Exchange, sendJson } from '../exchange.ts';
import type { Derivation, GatewayOptions } from '../options.ts';
import { PendingVerification } from '../pending-verification.ts';
import { readJson } from '../request/json-body.ts';
import { requiredScopes } from '../request/verify-call.ts';
import type { GatewayEndpoint } from '../router.ts';
import { addHeaders } from '../verdict-answer.ts';
import { callerAddress } from './self.ts';

/** Requires no verifier token: who derives a token is the holder of the key, who has none. */
export function deriveEndpoint(gateway: GatewayOptions): GatewayEndpoint {
  return {
    route: '/v1/derive',
    methods: ['POST'],
    challenge: gateway.authorize.keyLocations.challenge,
    answer: (exchange) => {
      const { derivation } = gateway;
      if (derivation === null) {
        throw new LatchkeyError('FORBIDDEN', 'The operator of this service does not let keys derive tokens.');
      }
      const use = (body: unknown) => {
        const { call, token } = parse(body, exchange, gateway);
        checkCapacity(gateway, exchange.network);
        const answer = (outcome: Outcome) => answerDerived(derivation, exchange, token, outcome);
        gateway.verifier.verify(call, new PendingVerification(exchange, answer, sendError));
      };
      readJson(exchange.request, use, (error) => sendError(exchange, error));
    },
  };
}

type Wanted = Omit<DerivedToken, 'keyId' | 'secretVersion'>;

function answerDerived({ tag, ring, announce }: Derivation, exchange: Exchange, token: Wanted, outcome: Outcome): void {
  const { code, key, revision } = outcome;
  if (code === 'MALFORMED' || code === 'NOT_FOUND') {
    sendError(exchange, new LatchkeyError('UNAUTHENTICATED', 'A key of this service is needed, in `key`.'));
    return;
  }
  if (code !== 'VALID') {
    const problem = problemOf(code, rejections[code], errorsPath);
    const challenge = problem.status === 401 ? { 'www-authenticate': exchange.challenge } : {};
    sendJson(exchange, problem.status, JSON.stringify(problem), {
      ...headersOf(outcome),
      'content-type': problemMediaType,
      ...challenge,
    });
    return;
  }
  if (key === null) throw new TypeError('a valid verdict has a key');
  const { id: keyId, env, presentedVersion: secretVersion } = key;
  const minted = mintDerived(tag, env, { ...token, keyId, secretVersion }, ring);
  if (minted === null) {
    const message = `would make a token of more than ${limits.presentedCharacters} characters: ask for fewer or shorter ones`;
    sendError(exchange, badInput([{ field: 'scopes', message }]));
    return;
  }
  const body = JSON.stringify({ token: minted, expiresAt: new Date(token.expiresAt).toISOString() });
  const headers = { ...headersOf(outcome), ...(revision === undefined ? {} : { 'latchkey-revision': revision }) };
  announce().then(
    () => sendJson(exchange, 201, body, headers),
    (error) => sendError(exchange, error),
  );
}

/** Of the rate limit, which the derivation counts for. */
function headersOf(outcome: Outcome): Record<string, string> {
  const list = addHeaders([], outcome);
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? '']] : [])));
}

const fields = ['key', 'scopes', 'env', 'sources', 'expiresAt', 'label'];

/** Throws BAD_USER_INPUT. The error never repeats a value, because it may be the key. */
function parse(
  body: unknown,
  exchange: Exchange,
  gateway: GatewayOptions,
): { readonly call: VerificationCall; readonly token: Wanted } {
  if (!isJsonObject(body)) throw badInput([{ field: 'body', message: 'must be a JSON object' }]);
  const errors: FieldError[] = [];
  const reject = (field: string, message: string) => void errors.push({ field, message });
  for (const name of Object.keys(body)) if (!fields.includes(name)) reject(name.slice(0, 64), 'is not a known field');
  const { key, env, label = null } = body;
  if (typeof key !== 'string') reject('key', key === undefined ? 'is required' : 'must be a string');
  else if (isDerived(key)) reject('key', 'must be the secret of a key: no token can be derived from a token');
  if (env !== undefined && env !== 'live' && env !== 'test') reject('env', 'must be one of live, test');
  const isLabel = label === null || (typeof label === 'string' && labelShape.test(label));
  if (!isLabel) reject('label', labelExpected);
  const scopes = requiredScopes(body.scopes, 'scopes', reject);
  const sources = parseSources(body.sources, reject);
  const expiresAt = parseExpiry(body.expiresAt, reject);
  if (errors.length > 0 || typeof key !== 'string') throw badInput(errors);
  const { address, limited } = callerAddress(exchange.request, gateway);
  return {
    call: {
      secret: key,
      env: env === 'live' || env === 'test' ? env : undefined,
      source: address ?? undefined,
      limited: { source: limited },
      scopes,
      request: () => undefined,
    },
    token: { scopes: [...new Set(scopes)], sources, expiresAt, label: typeof label === 'string' ? label : null },
  };
}

const labelExpected = `must have 1 to ${limits.derivedLabelCharacters} of A-Z a-z 0-9 . _ : / - and begin with a letter or digit`;

type Reject = (field: string, message: string) => void;

/** Host names are not permitted: the lists of the key and of the token must have networks in common. */
function parseSources(value: unknown, reject: Reject): readonly string[] | null {
  if (value === undefined || value === null) return null;
  if (!isStringList(value) || value.length === 0 || value.length > limits.derivedSources) {
    reject('sources', `must be a list of 1 to ${limits.derivedSources} IP addresses or CIDR ranges, or absent`);
    return null;
  }
  for (const [i, entry] of value.entries()) {
    const source = parseAllowedSource(entry);
    if (!source.ok) reject(`sources[${i}]`, source.problem);
    else if (source.value.kind === 'host') reject(`sources[${i}]`, 'must be an IP address or a CIDR range');
  }
  return value;
}

const hourMs = 3_600_000;

function parseExpiry(value: unknown, reject: Reject): number {
  const expiresAt = typeof value === 'string' && isoMoment.test(value) ? Date.parse(value) : Number.NaN;
  const now = Date.now();
  if (!(expiresAt > now && expiresAt <= now + limits.derivedHours * hourMs)) {
    reject('expiresAt', `must be a time such as 2030-01-31T12:00:00Z, at most ${limits.derivedHours} hours from now`);
  }
  return expiresAt;
}

/** RFC 3339, section 5.6. */
const isoMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

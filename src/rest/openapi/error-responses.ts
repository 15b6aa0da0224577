/** The responses of the OpenAPI description that are problem documents, each with an example of every code. */
import { type ErrorCode, errorTable } from '../../domain/errors.ts';
import { type RejectionCode, rejections } from '../../domain/verdict/checks.ts';
import { type Json, referTo } from './schemas.ts';

/** Where a problem comes from, which decides how its document looks. */
export type Family = 'management' | 'exchange' | 'github' | 'verification' | 'holder' | 'derive' | 'authorize';

/** These are sent before the request is known, in one form on both ports. */
const beforeAnyPath = ['REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'] as const;
/** Of responses whose codes have titles for something else. */
const descriptions: Readonly<Record<string, string>> = {
  RequestTimeout: 'The request arrived too slowly. The connection is closed.',
  HeadersTooLarge:
    'The URL and the headers together have more than 16 kB, or 64 kB on the verification port. The connection is closed.',
  GithubUnauthenticated: 'GitHub has not signed the body.',
  GithubUnsupportedMediaType: 'The body is compressed.',
};

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

export class ErrorResponses {
  /** The responses that were asked for, by their names. */
  readonly components: Record<string, Json> = {};
  readonly #details: Readonly<Record<Family, Readonly<Record<string, string>>>>;

  constructor(details: Readonly<Record<Family, Readonly<Record<string, string>>>>) {
    this.#details = details;
  }

  /** Returns references to the responses with these codes, by status. `permission` is what FORBIDDEN says is lacking. */
  of(family: Family, codes: readonly string[], permission = ''): Json {
    const all = [...codes, ...beforeAnyPath].map((code) => ({ code, ...errorOf(code) }));
    const statuses = [...new Set(all.map(({ status }) => status))];
    return Object.fromEntries(
      statuses.map((status) => {
        const sorted = all.filter((one) => one.status === status).sort((a, b) => a.place - b.place);
        const ofStatus = sorted.filter(({ code }, index) => code !== sorted[index - 1]?.code);
        const isEarly = beforeAnyPath.some((code) => code === ofStatus[0]?.code);
        const name = [
          ...(isEarly || family === 'management' ? [] : [family]),
          ...ofStatus.map(({ code }) => code.toLowerCase()),
          ...(ofStatus[0]?.code === 'FORBIDDEN' ? ['without', permission] : []),
        ]
          .join('_')
          .replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
        this.components[name] ??= {
          description: descriptions[name] ?? `${ofStatus.map(({ title }) => title).join('; or: ')}.`,
          ...this.#response(isEarly ? 'early' : family, status, ofStatus, permission),
        };
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  #response(
    family: Family | 'early',
    status: number,
    problems: readonly { readonly code: string; readonly title: string }[],
    permission: string,
  ): Json {
    const codes = problems.map(({ code }) => code);
    const isOnManagement = ['management', 'exchange', 'github'].includes(family);
    const isForHolders = family === 'holder' || family === 'derive';
    const hasPage = family !== 'authorize' && family !== 'early';
    const headers = {
      ...(isOnManagement ? { 'X-Request-Id': header('RequestId') } : {}),
      ...(family === 'authorize' ? { 'X-Latchkey-Code': header('ErrorCode') } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': header(isForHolders ? 'KeyChallenge' : 'Challenge') } : {}),
      ...(status === 429 || status === 503
        ? { 'Retry-After': header(family === 'derive' && status === 429 ? 'RateLimitRetryAfter' : 'RetryAfter') }
        : {}),
    };
    const schema =
      family === 'early'
        ? 'TimeoutProblem'
        : isOnManagement
          ? 'Problem'
          : codes.some((code) => !(code in errorTable))
            ? 'HolderProblem'
            : 'VerificationProblem';
    const examples = problems.map(({ code, title }) => {
      const detail = this.#detail(family === 'early' ? 'management' : family, code).replace('PERMISSION', permission);
      const [field = '', message = ''] = detail.split(': ');
      const value = {
        type: `${hasPage ? '/errors#' : 'urn:latchkey:problem:'}${code}`,
        ...{ title, status, detail, code },
        ...(isOnManagement ? { requestId: '7d0c2b7e-2f5d-4e3b-8a76-5b0f6a1c9d42' } : {}),
        ...(code === 'BAD_USER_INPUT' ? { errors: [{ field, message }] } : {}),
        ...(code === 'POLICY_VIOLATED'
          ? { errors: [{ field: 'expiresAt', message: 'must be set', rule: 'requireExpiry' }] }
          : {}),
        ...(code === 'KEY_ALREADY_CREATED' ? { keyId: /[0-9a-f-]{36}/.exec(detail)?.[0] } : {}),
      };
      return [code, { value }];
    });
    return {
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      content: {
        'application/problem+json': {
          schema: { allOf: [referTo(schema), { properties: { status: { const: status }, code: { enum: codes } } }] },
          examples: Object.fromEntries(examples),
        },
      },
    };
  }

  #detail(family: Family, code: string): string {
    const detail = this.#details[family][code] ?? rejections[code as RejectionCode]?.detail;
    if (detail === undefined) throw new Error(`src/rest/openapi/texts.yaml has no example of ${code} in details`);
    return detail;
  }
}

/** An error, or the verdict on a key that is shown to its holder. */
function errorOf(code: string): { readonly status: number; readonly title: string; readonly place: number } {
  const place = Object.keys(errorTable).indexOf(code);
  const found = errorTable[code as ErrorCode] ?? rejections[code as RejectionCode];
  // Verdicts come after errors, in the order of the checks.
  return { ...found, place: place >= 0 ? place : 1000 + Object.keys(rejections).indexOf(code) };
}

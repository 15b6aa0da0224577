/** Explains a verdict to people of the team, check by check, with facts about the key and the request. */
import type { Fence } from '../fence/fence.ts';
import type { ApiKey, KeyEnv } from '../key/api-key.ts';
import { hasPassed } from '../moment.ts';
import { managementKeyHint, sessionTokenHint } from '../secret/other-credentials.ts';
import { overlapEnd } from '../secret/rotated-secret.ts';
import type { SecretFormat } from '../secret/secret.ts';
import type { SignatureExplanation } from '../signature/signature-checks.ts';
import { maxHostAddresses, type ResolvedHost, type SourceMatch } from '../source/source-match.ts';
import { type KeyCheckName, keyChecks, type LookupCheckName, lookupChecks } from './checks.ts';

/** The outcome of a check, and its reason for people of the team. Never contains a secret. */
export interface Finding {
  readonly outcome: 'PASSED' | 'FAILED' | 'SKIPPED';
  readonly explanation: string;
}

/** How a key was looked up, and the secret's format. Only imported keys can be `foreign` or `session token`. */
export type LookupInput =
  | { readonly by: 'prefix' }
  | { readonly by: 'secret'; readonly format: SecretFormat | 'session token' };

/** The request whose verdict is explained, with the results of its checks. */
export interface ExplainedRequest {
  readonly now: Date;
  readonly env: KeyEnv | undefined;
  readonly source: SourceMatch;
  readonly scopes: readonly string[];
  /** When an earlier secret stops working, in milliseconds since the epoch; null for the current secret. */
  readonly secretExpiresAt: number | null;
  /** Those that cover the key. */
  readonly fences: readonly Fence[];
  /** Null if the key needs no signature or no request was given. */
  readonly signature: SignatureExplanation | null;
}

/** The result of a lookup. `shared import`: a key of this team matches, but another team imported the key too. */
export type LookupResult =
  | { readonly key: ApiKey; readonly request: ExplainedRequest }
  | { readonly tripwire: ApiKey }
  | 'shared import'
  | 'none';

export interface ExplainedCheck extends Finding {
  readonly name: LookupCheckName | KeyCheckName;
}

export function explainChecks(input: LookupInput, result: LookupResult): ExplainedCheck[] {
  const noKey = skipped(
    result === 'shared import' ? 'The key that decides is not one of the team.' : 'There is no key to check.',
  );
  return [
    ...lookupChecks.map(({ name }) => ({ name, ...lookupExplanations[name](input, result) })),
    ...keyChecks.map(({ name }) => ({
      name,
      ...(typeof result === 'string' || 'tripwire' in result
        ? noKey
        : keyExplanations[name](result.key, result.request)),
    })),
  ];
}

type ExplainLookup = (input: LookupInput, result: LookupResult) => Finding;
type ExplainKey = (key: ApiKey, request: ExplainedRequest) => Finding;

const wrongShape = 'It does not have the format of a key: characters are missing, added or not allowed.';

const lookupExplanations: Readonly<Record<LookupCheckName, ExplainLookup>> = {
  FORM: (input, result) => {
    if (input.by === 'prefix') return skipped('A prefix was given, and only a complete key has a format to check.');
    switch (input.format) {
      case 'valid':
        return passed('It has the format of a key, and its checksum is correct.');
      case 'wrong checksum':
        return failed('It looks like a key, but its checksum is wrong: at least one character differs.');
      case 'wrong shape':
        return failed(wrongShape);
      case 'management key':
        return failed(managementKeyHint);
      default:
        if (result !== 'none') return passed('It was imported, so it has another format than the keys created here.');
        return failed(input.format === 'foreign' ? wrongShape : sessionTokenHint);
    }
  },
  EXISTENCE: (input, result) => {
    if (result === 'shared import') {
      return failed(
        'The team has imported this key, and another team has imported it by its other digest. The earlier import decides: ask the operator whose key it is. If both were made before version 0.2, neither decides, and the holder needs a new key.',
      );
    }
    if (typeof result === 'object' && 'tripwire' in result) {
      return failed(`It is the team's tripwire "${result.tripwire.name}": callers get what an unknown key gets.`);
    }
    if (result !== 'none') {
      const { name, createdAt } = result.key;
      return passed(`It is the team's key "${name}", created at ${createdAt.toISOString()}.`);
    }
    if (input.by === 'prefix' || input.format === 'valid') return failed(`The team has no key with this ${input.by}.`);
    if (input.format === 'foreign' || input.format === 'session token') {
      return failed('It is not an imported key of the team either.');
    }
    return skipped('Text without the format of a key is not looked up.');
  },
};

const keyExplanations: Readonly<Record<KeyCheckName, ExplainKey>> = {
  REVOCATION: ({ revokedAt }) =>
    revokedAt === null
      ? passed('It has not been revoked.')
      : failed(`It was revoked at ${revokedAt.toISOString()}, permanently.`),
  FREEZE: (_, { fences, now }) => {
    const up = fences.filter(({ until }) => !hasPassed(until, now));
    if (up.length === 0) return passed('No fence covers it.');
    const each = up.map(({ createdAt, until, reason }) => {
      const end = until === null ? '' : ` until ${until.toISOString()}`;
      return `since ${createdAt.toISOString()}${end}: ${reason}`;
    });
    return failed(`It is frozen ${shortened(each, '; ')}. It works again, as it was, once the fence is lifted.`);
  },
  ROTATION: (key, { now, secretExpiresAt }) => {
    if (secretExpiresAt === null) return passed('It is the current secret of the key.');
    const { rotatedAt } = key;
    const rotated = `The secret was rotated${rotatedAt === null ? '' : ` at ${rotatedAt.toISOString()}`}`;
    if (hasPassed(secretExpiresAt, now.getTime()))
      return failed(`${rotated}, and is not accepted anymore. Use the current secret of the key.`);
    const end = overlapEnd(key, 'key');
    if (end === null) return passed(`${rotated}, and its overlap ended with the key.`);
    return passed(`${rotated}, and ${hasPassed(end, now) ? 'was' : 'is'} accepted until ${end.toISOString()}.`);
  },
  ENABLEMENT: ({ disabledAt }) =>
    disabledAt === null ? passed('It is enabled.') : failed(`It was disabled at ${disabledAt.toISOString()}.`),
  EXPIRY: ({ expiresAt }, { now }) => {
    if (expiresAt === null) return passed('It never expires.');
    const at = expiresAt.toISOString();
    return hasPassed(expiresAt, now) ? failed(`It expired at ${at}.`) : passed(`It expires at ${at}.`);
  },
  ENVIRONMENT: (key, { env }) => {
    if (env === undefined) return skipped(`It is for ${key.env}, and the request names no environment.`);
    if (env === key.env) return passed(`It is for ${key.env}, the requested environment.`);
    return failed(`It is for ${key.env}, and the request is for ${env}.`);
  },
  SOURCE: ({ allowedIps }, { source }) => {
    const list = `allow-list of ${allowedIps.length} ${allowedIps.length === 1 ? 'entry' : 'entries'}`;
    switch (source.kind) {
      case 'unrestricted':
        return passed('It has no allow-list, so it can be used from any address.');
      case 'unknown':
        return failed(
          `It has an ${list}, and the source is not known. Behind a gateway, SOURCE_HEADER must name a header with the IP address of the client; a middleware must trust its proxies.`,
        );
      case 'listed':
        return passed(`${source.address} is allowed by the entry "${source.entry}".`);
      case 'unlisted': {
        const hosts = source.hosts.map(({ host, found }) => `${host} has ${foundTexts[found]}`);
        const resolved = hosts.length === 0 ? '' : ` (${shortened(hosts, '; ')})`;
        return failed(
          `${source.address} is not on its ${list}${resolved}. Add the address itself, a range that contains it, or a host name that resolves to it.`,
        );
      }
    }
  },
  SCOPES: (key, { scopes }) => {
    if (scopes.length === 0) return skipped('No scopes are required.');
    const missing = scopes.filter((scope) => !key.scopes.includes(scope));
    if (missing.length === 0) return passed('It has all required scopes.');
    return failed(`It lacks required scopes: ${shortened(missing, ', ')}.`);
  },
  SIGNATURE: ({ signingEnvelope }, { signature }) => {
    if (signingEnvelope === null) return passed('Its requests do not need a signature.');
    if (signature === null) return failed('Its requests must be signed, and no request was given to check.');
    const { failedCheck, reason } = signature;
    if (failedCheck === null) return passed('The signature is valid, and it has not been used yet.');
    return failed(`The check ${failedCheck} of the signature failed: ${reason}.`);
  },
  RATE_LIMIT: ({ rateLimit }) => {
    if (rateLimit === null) return passed('It has no rate limit.');
    const { limit, windowSeconds } = rateLimit;
    return skipped(`It has a limit of ${limit} per ${windowSeconds} s, which only verification counts.`);
  },
};

const foundTexts: Readonly<Record<ResolvedHost['found'], string>> = {
  none: 'no address in DNS',
  others: 'other addresses',
  'too many': `more than ${maxHostAddresses} addresses, so none of them is allowed`,
};

function passed(explanation: string): Finding {
  return { outcome: 'PASSED', explanation };
}

function failed(explanation: string): Finding {
  return { outcome: 'FAILED', explanation };
}

function skipped(explanation: string): Finding {
  return { outcome: 'SKIPPED', explanation };
}

/** Joins at most five texts, because an allow-list can have many hosts. */
function shortened(texts: readonly string[], separator: string): string {
  const maxTexts = 5;
  const more = texts.length > maxTexts ? [`${texts.length - maxTexts} more`] : [];
  return [...texts.slice(0, maxTexts), ...more].join(separator);
}

/**
 * The places of a request in which a client presents its key: `KEY_LOCATIONS`. A key is never read from the URL, which
 * logs, histories and the header `Referer` repeat (RFC 6750, section 5.3). Uses only web standards, because
 * @latchkey/client contains this file.
 */
import { bearerToken } from '../lib/bearer-token.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import { canContainKey, withHyphens } from './key-header.ts';
import { hasKeyShape } from './secret/secret-shape.ts';
import type { HeaderFields } from './signature/signed-request.ts';

/**
 * A place as it is configured. `authorization`: the token of `Authorization: Bearer`. `header:<name>`: the whole value
 * of this header. `basic`: HTTP Basic, whose user name or password is the key.
 */
export type KeyLocationText = 'authorization' | `header:${string}` | 'basic' | 'basic:username' | 'basic:password';

/**
 * The key that a request presents. `missing`: the configured places have no credentials. `ambiguous`: several texts can
 * be the key; `detail` tells the client why, and contains none of them.
 */
export type PresentedKey =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'ambiguous'; readonly detail: string };

export interface KeyLocation {
  /** The name of the header in lower case. */
  readonly header: string;
  /** Returns the value of the header that presents a key; null if the key can't be presented so. */
  readonly valueFor: (key: string) => string | null;
  /** What this place reads. No other place may read the same, because it would always find a second credential. */
  readonly reads: readonly string[];
  readonly find: (headers: HeaderFields) => PresentedKey;
  /** The scheme and its parameters for `WWW-Authenticate`. */
  readonly challenge: string;
  /** How to send a key, such as `Authorization: Bearer <key>`. */
  readonly instruction: string;
}

export interface KeyLocations {
  readonly list: readonly KeyLocation[];
  /** The places as they are configured, in the same order. */
  readonly names: readonly string[];
  /** The names, in lower case, of the headers besides `Authorization` that contain keys. Empty for the default. */
  readonly headers: readonly string[];
  /** The names, in lower case, of all headers that can contain a key, each once. */
  readonly allHeaders: readonly string[];
  /** The value of `WWW-Authenticate` for a request without a valid key (RFC 9110, section 11.6.1). */
  readonly challenge: string;
  /** How to send a key, such as `Authorization: Bearer <key> or x-api-key: <key>`. */
  readonly instruction: string;
}

/** Parses a list of places, separated by commas. Its order is that of the challenges. */
export function parseKeyLocations(text: string): Parsed<KeyLocations> {
  const names = text.split(',').map((name) => name.trim());
  const list = names.map(locationOf).filter((location) => location !== null);
  const reads = list.flatMap((location) => location.reads);
  const areValid = list.length === names.length && new Set(reads).size === reads.length;
  return areValid ? accepted(keyLocations(names, list)) : rejected(`must be ${expectedKeyLocations}`);
}

export const expectedKeyLocations =
  'places separated by commas, each once: authorization, header:<name> for a header without another meaning, and basic, basic:username or basic:password';

function keyLocations(names: readonly string[], list: readonly KeyLocation[]): KeyLocations {
  const allHeaders = [...new Set(list.map(({ header }) => header))];
  return {
    list,
    names,
    headers: allHeaders.filter((header) => header !== authorization),
    allHeaders,
    challenge: list.map(({ challenge }) => challenge).join(', '),
    instruction: list.map(({ instruction }) => instruction).join(' or '),
  };
}

/** Returns the only key at the places of the list. The same key at two places is one key. */
export function findPresentedKey(headers: HeaderFields, { list }: Pick<KeyLocations, 'list'>): PresentedKey {
  let found: PresentedKey = missing;
  for (const location of list) {
    const presented = location.find(headers);
    if (presented.kind === 'ambiguous') return presented;
    if (presented.kind === 'missing') continue;
    if (found.kind === 'key' && found.key !== presented.key) return differentKeys;
    found = presented;
  }
  return found;
}

/**
 * Returns the challenge of the first place with the required scopes. RFC 6750, section 3.1 defines its parameters for
 * Bearer; other schemes have the same ones.
 */
export function insufficientScopeChallenge({ list }: Pick<KeyLocations, 'list'>, scopes: readonly string[]): string {
  const { challenge = '' } = list[0] ?? {};
  return `${challenge}${challenge.includes(' ') ? ',' : ''} error="insufficient_scope", scope="${scopes.join(' ')}"`;
}

/** The title and the detail of the problem document for a request without exactly one key. */
export function noKeyProblem(
  presented: Exclude<PresentedKey, { readonly kind: 'key' }>,
  { instruction }: Pick<KeyLocations, 'instruction'>,
) {
  const detail = presented.kind === 'missing' ? `Send it as ${instruction}.` : presented.detail;
  return { title: 'An API key is needed', status: 401, detail } as const;
}

const missing = { kind: 'missing' } as const;
const differentKeys: PresentedKey = {
  kind: 'ambiguous',
  detail: 'The request contains two different API keys. Send only one.',
};
const unclearBasic: PresentedKey = {
  kind: 'ambiguous',
  detail: 'Both the user name and the password can be the API key. Send only the key, and leave the other one empty.',
};

const authorization = 'authorization';

const bearer: KeyLocation = {
  header: authorization,
  valueFor: (key) => `Bearer ${key}`,
  reads: ['Bearer'],
  find: ({ authorization }) => presented(bearerToken(lineOf(authorization))),
  challenge: 'Bearer',
  instruction: 'Authorization: Bearer <key>',
};

/** `authorization` alone. */
export const defaultKeyLocations = keyLocations([authorization], [bearer]);

function locationOf(name: string): KeyLocation | null {
  if (name === authorization) return bearer;
  const [, header] = /^header:(.*)$/.exec(name) ?? [];
  if (header !== undefined) return headerLocation(header.toLowerCase());
  const part = basicParts.get(name);
  return part === undefined ? null : basicLocation(part);
}

function headerLocation(header: string): KeyLocation | null {
  if (!canContainKey(header)) return null;
  return {
    header,
    valueFor: (key) => key,
    reads: header === authorization ? ['Bearer', 'Basic'] : [withHyphens(header)],
    find: (headers) => presented(lineOf(headers[header])),
    challenge: `ApiKey header="${header}"`,
    instruction: `${header}: <key>`,
  };
}

type BasicPart = 'user name or password' | 'user name' | 'password';

const basicParts: ReadonlyMap<string, BasicPart> = new Map([
  ['basic', 'user name or password'],
  ['basic:username', 'user name'],
  ['basic:password', 'password'],
]);

function basicLocation(part: BasicPart): KeyLocation {
  return {
    header: authorization,
    valueFor: (key) => {
      // A user name cannot contain a colon (RFC 7617, section 2).
      if (part === 'password' || (part !== 'user name' && key.includes(':'))) return `Basic ${btoa(`:${key}`)}`;
      return key.includes(':') ? null : `Basic ${btoa(`${key}:`)}`;
    },
    reads: ['Basic'],
    find: ({ authorization }) => {
      const credentials = basicCredentials(lineOf(authorization));
      if (credentials === null) return missing;
      const { username, password } = credentials;
      if (part === 'user name') return presented(username);
      if (part === 'password') return presented(password);
      return eitherOf(username, password);
    },
    challenge: 'Basic realm="API key"',
    instruction: `Authorization: Basic with the key as ${part}`,
  };
}

/** Existing clients put a fixed text into the other part, so the format of Latchkey's own keys decides. */
function eitherOf(username: string, password: string): PresentedKey {
  if (username === '' || username === password) return presented(password);
  if (password === '') return presented(username);
  const isKey = hasKeyShape(username);
  if (isKey === hasKeyShape(password)) return isKey ? differentKeys : unclearBasic;
  return presented(isKey ? username : password);
}

/**
 * Decodes HTTP Basic (RFC 7617, section 2). Each byte becomes one character: keys are ASCII, so that other texts are
 * malformed in every charset. Returns null for another scheme and for anything but padded base64 of a text with a colon.
 */
function basicCredentials(value: string | undefined) {
  const [, base64] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(value ?? '') ?? [];
  if (base64 === undefined || base64.length % 4 !== 0) return null;
  const text = atob(base64);
  const colon = text.indexOf(':');
  return colon === -1 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function presented(key: string | undefined): PresentedKey {
  return key === undefined || key === '' ? missing : { kind: 'key', key };
}

/** Joins the lines of a repeated field, as Node.js and Fetch do. The result has a space, so it is not a valid key. */
function lineOf(value: string | readonly string[] | undefined): string | undefined {
  if (Array.isArray(value)) return value.join(', ');
  // A plain object also has inherited members, such as `constructor`.
  return typeof value === 'string' ? value : undefined;
}

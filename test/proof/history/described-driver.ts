/**
 * The {@link Driver} for any HTTP API, by a description in JSON: one call each for `create` and `revoke`, and optionally for
 * `disable` and `enable`, and for `verify`. For example:
 *
 *     {
 *       "headers": { "authorization": "Bearer {token}" },
 *       "create": { "call": "POST /keys", "body": { "name": "{name}" }, "id": "/id", "secret": "/key" },
 *       "revoke": { "call": "DELETE /keys/{id}" },
 *       "verify": { "call": "POST /verify", "body": { "key": "{secret}" }, "valid": "/valid" }
 *     }
 *
 * `call` is a method and a path below `--management`, or a URL. `id`, `secret` and `valid` are JSON Pointers (RFC 6901) into
 * the answer. `{name}`, `{id}`, `{secret}`, `{team}` and `{token}` are replaced, in paths percent-encoded. A change is
 * confirmed by any status below 300.
 */
import type { CreatedKey, Driver, ManagementApi } from './driver.ts';
import { hasFields, isText, read, type Shape } from './fields.ts';

interface Call {
  readonly call: string;
}

interface Description {
  readonly create: Call & { readonly id: string; readonly secret: string };
  readonly revoke: Call;
}

interface OptionalParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly disable: Call;
  readonly enable: Call;
  readonly verify: Call & { readonly valid: string };
}

type Values = Readonly<Record<'name' | 'id' | 'secret' | 'team' | 'token', string>>;
type AnyCall = Call & { readonly body?: unknown };

const isAnything = (_: unknown): _ is unknown => true;
const isCall = (value: unknown): value is string => isText(value) && /^[A-Z]+ (?:https?:\/)?\//.test(value);
const isPointer = (value: unknown): value is string => isText(value) && value.startsWith('/');
const callShape: Shape<Call, { body: unknown }> = { required: { call: isCall }, optional: { body: isAnything } };
const aCall =
  (name: string) =>
  (value: unknown): value is Call =>
    read(name, value, callShape) !== null;
const shape: Shape<Description, OptionalParts> = {
  required: {
    create: (value): value is Description['create'] =>
      read('create', value, {
        required: { call: isCall, id: isPointer, secret: isPointer },
        optional: { body: isAnything },
      }) !== null,
    revoke: aCall('revoke'),
  },
  optional: {
    headers: (value): value is OptionalParts['headers'] => hasFields(value) && Object.values(value).every(isText),
    disable: aCall('disable'),
    enable: aCall('enable'),
    verify: (value): value is OptionalParts['verify'] =>
      read('verify', value, { required: { call: isCall, valid: isPointer }, optional: { body: isAnything } }) !== null,
  },
};

/** Throws if the text is no description. */
export function describedDriver(text: string): Driver {
  const described = read('the description', JSON.parse(text), shape);
  const { headers = {}, create, revoke, disable, enable, verify } = described;
  if ((disable === undefined) !== (enable === undefined))
    throw new Error('describe both disable and enable, or neither');
  const send = async (api: ManagementApi, call: AnyCall, values: Partial<Values>) =>
    await answerTo(
      call,
      { name: '', id: '', secret: '', ...values, team: api.team, token: api.token },
      headers,
      api.url,
    );
  const change = (call: Call) => async (api: ManagementApi, id: string) => void (await send(api, call, { id }));
  return {
    create: async (api, name): Promise<CreatedKey> => {
      const answer = await send(api, create, { name });
      const [id, secret] = [at(answer, create.id), at(answer, create.secret)];
      if (!isText(id) || !isText(secret)) throw new Error(`${create.call} returned no key`);
      return { id, secret };
    },
    revoke: change(revoke),
    ...(disable && enable && { disable: change(disable), enable: change(enable) }),
    ...(verify && {
      verify: async (api, secret) => {
        const valid = at(await send(api, verify, { secret }), verify.valid);
        if (typeof valid !== 'boolean') throw new Error(`${verify.call} returned no verdict`);
        return valid;
      },
    }),
  };
}

const shownCharacters = 200;
const timeoutMs = 10_000;

async function answerTo(
  { call, body }: AnyCall,
  values: Values,
  headers: Readonly<Record<string, string>>,
  base: string,
): Promise<unknown> {
  const [method = '', target = ''] = call.split(' ');
  const path = filled(target, values, encodeURIComponent);
  const url = path.startsWith('/') ? base + path : path;
  // Without the key, which a path can have.
  const what = `${method} ${target.startsWith('/') ? base : ''}${filled(target, { ...values, secret: '…' }, String)}`;
  const sent = body === undefined ? {} : { body: JSON.stringify(filledIn(body, values)) };
  const response = await fetch(url, {
    ...{ method, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs), ...sent },
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value, values, String)])),
    },
  }).catch((cause: unknown) => {
    throw new Error(what, { cause });
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${what} got ${response.status}: ${text.slice(0, shownCharacters)}`);
  try {
    return JSON.parse(text || 'null');
  } catch {
    throw new Error(`${what} got ${response.status} without JSON: ${text.slice(0, shownCharacters)}`);
  }
}

function filled(text: string, values: Values, encode: (value: string) => string): string {
  return text.replace(/\{(name|id|secret|team|token)\}/g, (_, name: keyof Values) => encode(values[name]));
}

function filledIn(value: unknown, values: Values): unknown {
  if (isText(value)) return filled(value, values, String);
  if (Array.isArray(value)) return value.map((one) => filledIn(one, values));
  if (!hasFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledIn(one, values)]));
}

function at(value: unknown, pointer: string): unknown {
  const names = pointer.slice(1).split('/');
  return names.reduce<unknown>(
    (part, name) => Reflect.get(Object(part), name.replaceAll('~1', '/').replaceAll('~0', '~')),
    value,
  );
}

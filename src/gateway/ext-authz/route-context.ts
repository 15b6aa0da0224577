/** Parses the `context_extensions` that the operator configures for a route of Envoy. Clients cannot set them. */
import { badInput } from '../../domain/errors.ts';
import { environment, type Requirements, remembered, scopesOf } from '../request/authorize-target.ts';

interface RouteContext {
  readonly required: Requirements;
  /** Whether `with_request_body` applies to the route, so that a request without buffered body has no body. */
  readonly buffersBodies: boolean;
}

const names: ReadonlySet<string> = new Set(['env', 'scopes', 'body']);

/** Rejects unknown names, because a misspelled requirement would not be one. Throws BAD_USER_INPUT. */
export function routeContext(context: ReadonlyMap<string, string>): RouteContext {
  for (const name of context.keys()) {
    if (names.has(name)) continue;
    throw badInput([{ field: 'context_extensions', message: 'can have only the names env, scopes and body' }]);
  }
  return parse(JSON.stringify([...names].map((name) => context.get(name))));
}

const parse = remembered((text): RouteContext => {
  const [env, scopes, body = null]: readonly (string | null)[] = JSON.parse(text);
  if (body !== null && body !== 'buffered') throw badInput([{ field: 'body', message: 'must be buffered' }]);
  return {
    required: { env: environment(env ?? undefined), scopes: scopesOf(scopes?.split(' ') ?? []) },
    buffersBodies: body === 'buffered',
  };
});

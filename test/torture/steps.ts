/** The calls that change a key, and the state that each one leaves. */
import { looseList, scopeLists, tightList } from './circumstances.ts';
import type { Call } from './connection.ts';
import { graphqlCall } from './graphql-call.ts';
import type { ChangeKind, KeyState } from './history.ts';
import type { TortureKey } from './pool.ts';
import { between, chance, pick } from './random.ts';

export interface Step {
  readonly call: Call;
  readonly after: KeyState;
}

export function stepOf(
  { id, state, secrets, signingSecrets }: TortureKey,
  kind: Exclude<ChangeKind, 'create'>,
  newName: () => string,
): Step {
  const path = `/v1/keys/${id}`;
  const patch = (fields: Patch): Step => ({
    call: { method: 'PATCH', path, body: patchBody(fields) },
    after: { ...state, ...fields },
  });
  const sign = (action: string, signing: number | null): Step => ({
    call: { method: 'POST', path: `${path}/signing/${action}` },
    after: { ...state, signing },
  });
  const rotate = (overlapSeconds: number): Step => ({
    call: graphqlCall('rotateKey', { id, overlapSeconds }),
    after: { ...state, secret: secrets.length, overlap: overlapSeconds > 0 },
  });
  switch (kind) {
    case 'rename':
      return patch({ name: newName() });
    case 'tighten':
      return patch({ allowed: state.allowed.length === 0 && chance(0.3) ? looseList : tightList });
    case 'loosen':
      return patch({ allowed: state.allowed.length === 1 && chance(0.5) ? looseList : [] });
    case 'expire':
      return patch({ expiresAt: Date.now() + Math.round(between(30, 200)) });
    case 'renew':
      return patch({ expiresAt: null });
    case 'enable signing':
      return sign('enable', signingSecrets.length);
    case 'rotate signing':
      return sign('rotate', signingSecrets.length);
    case 'disable signing':
      return sign('disable', null);
    case 'rotate':
      return rotate(0);
    case 'rotate with overlap':
      return rotate(3600);
    case 'end overlap':
      return { call: graphqlCall('endOverlap', { id }), after: { ...state, overlap: false } };
    case 'disable':
      return { call: graphqlCall('disableKey', { id }), after: { ...state, disabled: true } };
    case 'enable':
      return { call: graphqlCall('enableKey', { id }), after: { ...state, disabled: false } };
    case 'scope':
      return patch({ scopes: pick(scopeLists.filter(({ length }) => length !== state.scopes.length)) });
    case 'revoke':
      return { call: { method: 'DELETE', path }, after: { ...state, revoked: true } };
  }
}

export function weightsOf(state: KeyState): Partial<Record<Exclude<ChangeKind, 'create'>, number>> {
  const { allowed, expiresAt, signing, overlap, disabled } = state;
  // The verdict of an expired or disabled key does not depend on other changes.
  if (expiresAt !== null) return { renew: 8, rename: 1, revoke: 1 };
  if (disabled) return { enable: 8, rename: 1, revoke: 1 };
  return {
    rename: 2,
    scope: 3,
    rotate: 2,
    'rotate with overlap': 3,
    ...(overlap ? { 'end overlap': 5 } : {}),
    disable: 3,
    ...(allowed.length === 1 ? {} : { tighten: 4 }),
    ...(allowed.length === 0 ? {} : { loosen: 5 }),
    expire: 2,
    ...(signing === null ? { 'enable signing': 4 } : { 'rotate signing': 4, 'disable signing': 3 }),
    revoke: 2,
  };
}

type Patch = Partial<Pick<KeyState, 'name' | 'allowed' | 'expiresAt' | 'scopes'>>;

function patchBody({ name, allowed, expiresAt, scopes }: Patch): string {
  return JSON.stringify({
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(allowed === undefined ? {} : { allowedIps: allowed }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() }),
  });
}

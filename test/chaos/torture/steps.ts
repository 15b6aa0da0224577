/** The calls that change a key, and the state that each one leaves. */

import type { Call } from '../../load/client.ts';
import { random } from '../../load/random.ts';
import type { KeyState } from '../../proof/history/format.ts';
import { looseList, scopeLists, tightList } from './circumstances.ts';
import type { TortureKey } from './pool.ts';
import type { ChangeKind } from './records.ts';

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
  const post = (action: string, changed: Partial<KeyState>, body?: object): Step => ({
    call: { method: 'POST', path: `${path}/${action}`, ...(body && { body: JSON.stringify(body) }) },
    after: { ...state, ...changed },
  });
  const rotate = (overlapSeconds: number): Step =>
    post('rotate', { secret: secrets.length, overlap: overlapSeconds > 0 }, { overlapSeconds });
  switch (kind) {
    case 'rename':
      return patch({ name: newName() });
    case 'tighten':
      return patch({ allowed: state.allowed.length === 0 && random.chance(0.3) ? looseList : tightList });
    case 'loosen':
      return patch({ allowed: state.allowed.length === 1 && random.chance(0.5) ? looseList : [] });
    case 'expire':
      return patch({ expiresAt: Date.now() + Math.round(random.between(30, 200)) });
    case 'renew':
      return patch({ expiresAt: null });
    case 'enable signing':
      return post('signing/enable', { signing: signingSecrets.length });
    case 'rotate signing':
      return post('signing/rotate', { signing: signingSecrets.length });
    case 'disable signing':
      return post('signing/disable', { signing: null });
    case 'rotate':
      return rotate(0);
    case 'rotate with overlap':
      return rotate(3600);
    case 'end overlap':
      return post('end-overlap', { overlap: false });
    case 'disable':
      return post('disable', { disabled: true });
    case 'enable':
      return post('enable', { disabled: false });
    case 'scope':
      return patch({ scopes: random.pick(scopeLists.filter(({ length }) => length !== state.scopes.length)) });
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

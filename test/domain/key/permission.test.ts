// SECURITY.md: Who may do what
import { expect, test } from 'vitest';
import { accessOf, type Permission, permissions, type Session } from '../../../src/domain/key/permission.ts';

const holding = (...permissions: Permission[]): Session => ({
  subject: 'ada',
  teams: new Map([['team-1', new Set(permissions)]]),
  teamNames: new Map(),
});

test('no permission implies another', () => {
  const all = holding(...permissions);
  for (const needed of permissions) {
    expect(accessOf(all, 'team-1', needed)).toBe('granted');
    for (const one of permissions) {
      expect(accessOf(holding(one), 'team-1', needed)).toBe(one === needed ? 'granted' : 'lacking');
    }
  }
});

test('there is no access to a team that the token does not name, or names without any permission', () => {
  for (const needed of permissions) {
    expect(accessOf(holding(...permissions), 'team-2', needed)).toBe('none');
    expect(accessOf(holding(), 'team-1', needed)).toBe('none');
  }
});

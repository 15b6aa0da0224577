import { expect, test } from 'vitest';
import { accessOf, type Permission, permissions, type Session } from '../../../src/domain/key/permission.ts';

const holding = (...permissions: Permission[]): Session => ({
  subject: 'ada',
  teams: new Map([['team-1', new Set(permissions)]]),
  teamNames: new Map(),
});

test('a permission that the token names is granted', () => {
  expect(accessOf(holding('view_team'), 'team-1', 'view_team')).toBe('granted');
  expect(accessOf(holding('manage_keys'), 'team-1', 'manage_keys')).toBe('granted');
});

test('no permission implies another', () => {
  for (const held of permissions) {
    for (const needed of permissions) {
      expect(accessOf(holding(held), 'team-1', needed)).toBe(held === needed ? 'granted' : 'lacking');
    }
  }
});

test('both permissions together grant either', () => {
  const both = holding('view_team', 'manage_keys');
  expect(accessOf(both, 'team-1', 'view_team')).toBe('granted');
  expect(accessOf(both, 'team-1', 'manage_keys')).toBe('granted');
});

test('a permission on one team grants nothing on another', () => {
  expect(accessOf(holding('view_team', 'manage_keys'), 'team-2', 'view_team')).toBe('none');
  expect(accessOf(holding('view_team', 'manage_keys'), 'team-2', 'manage_keys')).toBe('none');
});

test('a team that is named without any permission is the same as one that is not named', () => {
  expect(accessOf(holding(), 'team-1', 'view_team')).toBe('none');
});

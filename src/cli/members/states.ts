import type { MemberState } from '../service/generated/graphql.ts';

export const memberStates: Readonly<Record<string, MemberState>> = {
  active: 'ACTIVE',
  inactive: 'INACTIVE',
  left: 'LEFT',
};

export function memberStatesOf(names: readonly string[]): MemberState[] {
  return [...new Set(names)].flatMap((name) => memberStates[name] ?? []);
}

/** Who manages the keys of the example team, what its policy demands, and its people. */
import type { Instance } from '../../support/instance.ts';
import { callGraphQL } from './dashboard.ts';
import { issuer } from './shared-service.ts';

type Call = (
  query: string,
  variables: object,
) => Promise<{ readonly createManagementKey: { readonly secret: string } }>;

const newKey = 'mutation ($input: CreateManagementKeyInput!) { createManagementKey(input: $input) { secret } }';
const newRule = 'mutation ($input: CreateTrustRuleInput!) { createTrustRule(input: $input) { trustRule { id } } }';
const newPolicy = 'mutation ($input: SetKeyPolicyInput!) { setKeyPolicy(input: $input) { policy { env } } }';
const newMembers = 'mutation ($input: ImportMembersInput!) { importMembers(input: $input) { added } }';
const hasLeft =
  'mutation ($teamId: UUID!, $subject: String!) { removeMember(teamId: $teamId, subject: $subject) { member { state } } }';

export const people = { grace: 'grace@example.com', alan: 'alan@example.com' };
const daySeconds = 86_400;
const scopes = [
  { name: 'orders:read', description: 'Read orders' },
  { name: 'orders:write', description: 'Create and cancel orders' },
  { name: 'invoices:read', description: 'Read invoices' },
  { name: 'health:read', description: 'Read the state of the shop' },
];

/** Months before the pictures. No key of the team violates the policy. */
export async function addAccess(call: Call, service: Instance, teamId: string, atDay: (day: number) => Date) {
  const permissions = ['view_team', 'manage_keys'];
  const allowedIps = ['192.0.2.0/24 # Frankfurt'];
  const billing = { teamId, name: 'Infrastructure, production', permissions, allowedIps, expiresAt: atDay(190) };
  await call(newKey, { input: billing });
  const portal = { teamId, name: 'Customer portal', permissions, expiresAt: atDay(9) };
  const { secret } = (await call(newKey, { input: portal })).createManagementKey;
  await callGraphQL(service, secret, 'query ($teamId: UUID!) { keys(teamId: $teamId) { nodes { id } } }', { teamId });
  const claims = { repository_id: '74023519', repository_owner_id: '5120873', ref: 'refs/heads/main' };
  const deploy = { teamId, name: 'Deploy of the web shop', issuer, audience: 'https://keys.example.com' };
  await call(newRule, { input: { ...deploy, claims, permissions: ['manage_keys'] } });
  const defaults = { lifetimeSeconds: 90 * daySeconds };
  await call(newPolicy, { input: { teamId, env: 'live', maxSecretAgeSeconds: 180 * daySeconds, scopes, defaults } });
  await call(newMembers, { input: { teamId, subjects: ['linus@example.com', ...Object.values(people)] } });
}

export async function leave(call: (query: string, variables: object) => Promise<unknown>, teamId: string) {
  await call(hasLeft, { teamId, subject: people.alan });
}

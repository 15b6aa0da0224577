import { randomUUID } from 'node:crypto';
import {
  type ManagementKey,
  parseGranted,
  parseManagementExpiry,
  parseManagementSources,
} from '../../domain/access/management-key.ts';
import { settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { noRules, type PolicyRules } from '../../domain/policy/key-policy.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import { violationsOf } from '../../domain/policy/violations.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { digestSecret } from '../../domain/secret/secret-digest.ts';
import { mintSigningSecret, sealSigningSecret } from '../../domain/secret/signing-secret.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { insertManagementKey, type ManagementKeyRules, managementKeyRules } from '../../store/rows/management-keys.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { rejectViolations } from '../policy/policed.ts';
import { managementKeyEntry } from './change-management-key.ts';
import { rejectAbove } from './credentials.ts';
import { maxLifetimeSeconds } from './management-key-lifetime.ts';

export interface CreateManagementKeyInput {
  readonly teamId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly expiresAt: Date;
  readonly allowedIps?: readonly string[] | null | undefined;
  /** Whether calls must be signed. */
  readonly signing?: boolean | null | undefined;
}

export interface CreatedManagementKey {
  readonly managementKey: ManagementKey;
  /** The full key. It is not stored. */
  readonly secret: string;
  /** 64 hexadecimal characters, if calls must be signed; else null. It is stored only encrypted. */
  readonly signingSecret: string | null;
}

/**
 * Makes a key with which a program manages the keys of a team, with at most the permissions of the caller. Needs
 * `manage_access`.
 * Throws FORBIDDEN, BAD_USER_INPUT (name, permissions, expiresAt, allowedIps), CREDENTIAL_LIMIT_REACHED, POLICY_VIOLATED,
 * RATE_LIMITED, UNAVAILABLE.
 */
export async function createManagementKey(
  management: Management,
  caller: Caller,
  input: CreateManagementKeyInput,
): Promise<CreatedManagementKey> {
  const { store, budget, policyBounds } = management;
  const { teamId } = input;
  authorizeTeam(caller, teamId, 'manage_access');
  const fields = parseInput(caller, input);
  budget.check(teamId);
  const answer = newManagementKey(management, caller, input, fields);
  const { managementKey } = answer;
  // Rejects most calls above the limit without a transaction.
  rejectAbove(await store.managementKeys.count(teamId), limits.managementKeys, 'management key');
  const change: Change<CreatedManagementKey, ManagementKeyRules> = {
    queueKey: teamId,
    caller,
    load: managementKeyRules(teamId),
    decide: ({ count, policies }) => {
      rejectAbove(count, limits.managementKeys, 'management key');
      rejectLongLived(policyBounds, policies, managementKey);
      const entries = [managementKeyEntry(caller, 'ACCESS_KEY_CREATED', null, managementKey)];
      return new Decision(answer, { entries, rows: [insertManagementKey(managementKey)] });
    },
  };
  return await store.changes.submit(budget.counted(change));
}

function parseInput({ session, now }: Caller, input: CreateManagementKeyInput) {
  return parseFields({
    name: settings.name.parse(input.name),
    permissions: parseGranted(input.permissions, session.teams.get(input.teamId) ?? new Set()),
    expiresAt: parseManagementExpiry(input.expiresAt, now),
    allowedIps: parseManagementSources(input.allowedIps ?? []),
  });
}

function newManagementKey(
  { keyTag, peppers, signingKeks, randomBytes }: Management,
  { now, session }: Caller,
  { teamId, signing }: CreateManagementKeyInput,
  fields: ReturnType<typeof parseInput>,
): CreatedManagementKey {
  const id = randomUUID();
  const { secret, prefix } = mintSecret(keyTag, 'mgmt', randomBytes);
  const signingSecret = signing === true ? mintSigningSecret(randomBytes) : null;
  const signingVersion = signingSecret === null ? 0 : 1;
  const sealed = { keyId: id, version: signingVersion };
  const managementKey: ManagementKey = {
    ...fields,
    id,
    teamId,
    prefix,
    digest: digestSecret(secret, peppers.current),
    pepperId: peppers.current.id,
    createdAt: now,
    createdBy: session.subject,
    revokedAt: null,
    secretVersion: 1,
    rotatedAt: null,
    previousPrefix: null,
    previousDigest: null,
    previousPepperId: null,
    previousExpiresAt: null,
    signingEnvelope: signingSecret && sealSigningSecret(signingSecret, sealed, signingKeks, randomBytes),
    signingVersion,
  };
  return { managementKey, secret, signingSecret: signingSecret?.toString('hex') ?? null };
}

function rejectLongLived(bounds: PolicyRules, policies: TeamPolicies | undefined, key: ManagementKey): void {
  const governed = { ...key, scopes: [], rateLimit: null };
  const violations = violationsOf(
    { ...noRules, maxLifetimeSeconds: maxLifetimeSeconds(bounds, policies) },
    governed,
    key.createdAt,
  );
  if (violations.length > 0) rejectViolations(violations);
}

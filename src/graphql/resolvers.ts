/** Resolvers, each of which calls one use case that authorizes, acts and audits. */

import { managementKeyState } from '../domain/access/management-key.ts';
import { memberState } from '../domain/access/team-member.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import { eventIdOf } from '../domain/event/event.ts';
import { isTeamAction } from '../domain/event/event-types.ts';
import { type StoredKey, stateOf } from '../domain/key/api-key.ts';
import { accessOf } from '../domain/key/permission.ts';
import { noRules } from '../domain/policy/key-policy.ts';
import { violationsOf } from '../domain/policy/violations.ts';
import { overlapEnd } from '../domain/secret/rotated-secret.ts';
import type { Delivery } from '../domain/webhook/delivery.ts';
import { createManagementKey } from '../manage/access/create-management-key.ts';
import { listManagementKeys, readManagementKey } from '../manage/access/read-management-keys.ts';
import { revokeManagementKey } from '../manage/access/revoke-management-key.ts';
import { rotateManagementKey } from '../manage/access/rotate-management-key.ts';
import { createTrustRule, deleteTrustRule, listTrustRules } from '../manage/access/trust-rules.ts';
import { changeKeys } from '../manage/change/change-keys.ts';
import { createKey } from '../manage/change/create-key.ts';
import { importKeys } from '../manage/change/import-keys.ts';
import { disableKey, enableKey, revokeKey } from '../manage/change/key-state.ts';
import { readNamedKey, revokeNamedKey } from '../manage/change/named-key.ts';
import { putKey } from '../manage/change/put-key.ts';
import { revokeKeys } from '../manage/change/revoke-keys.ts';
import { endOverlap, rotateKey } from '../manage/change/rotate-key.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from '../manage/change/signing.ts';
import { updateKey } from '../manage/change/update-key.ts';
import { freezeKeys } from '../manage/fences/freeze-keys.ts';
import { liftFence, listFences } from '../manage/fences/lift-fence.ts';
import { readLeakPolicy, setLeakPolicy } from '../manage/leaks/leak-policy.ts';
import { handOverKeys } from '../manage/members/hand-over-keys.ts';
import { importMembers } from '../manage/members/import-members.ts';
import { type CountedMember, readMembers } from '../manage/members/read-members.ts';
import { removeMember } from '../manage/members/remove-member.ts';
import { readKeyPolicies, readKeyPolicy, setKeyPolicy } from '../manage/policy/set-key-policy.ts';
import { explainVerification } from '../manage/read/explain-verification.ts';
import { findKeys } from '../manage/read/find-keys.ts';
import { keySecrets } from '../manage/read/key-secrets.ts';
import type { Page } from '../manage/read/page.ts';
import { readAuditLog } from '../manage/read/read-audit-log.ts';
import { readEvents } from '../manage/read/read-events.ts';
import { readKeyValues } from '../manage/read/read-key-values.ts';
import { listKeys, readKey, readKeysOverview } from '../manage/read/read-keys.ts';
import {
  countsByDay,
  previewAllowedIps,
  readAddressActivity,
  readObservedSources,
  readUnlistedSources,
} from '../manage/read/read-observed-sources.ts';
import { readDerivedUse, readRejectedKeys, readTeamUsage, readUsage } from '../manage/read/read-usage.ts';
import { readViewer } from '../manage/read/read-viewer.ts';
import { readReceipt } from '../manage/receipts/read-receipt.ts';
import { createWebhook } from '../manage/webhooks/create-webhook.ts';
import { deleteWebhook } from '../manage/webhooks/delete-webhook.ts';
import { readDeliveries } from '../manage/webhooks/read-deliveries.ts';
import { listWebhooks } from '../manage/webhooks/read-webhooks.ts';
import { replayEvents } from '../manage/webhooks/replay-events.ts';
import { rotateWebhookSecret } from '../manage/webhooks/rotate-webhook-secret.ts';
import { sendTestEvent } from '../manage/webhooks/send-test-event.ts';
import { updateWebhook } from '../manage/webhooks/update-webhook.ts';
import { publicKeyOf } from '../manage/webhooks/webhook-secret.ts';
import type { Resolvers } from './generated/resolver-types.ts';
import { scalars } from './scalars.ts';

export const resolvers: Resolvers = {
  ...scalars,
  Query: {
    viewer: (_, __, { caller }) => readViewer(caller),
    key: (_, { id }, { management, caller }) => readKey(management, caller, id),
    keys: (_, input, { management, caller }) => listKeys(management, caller, input),
    usage: (_, input, { management, caller }) => readUsage(management, caller, input),
    observedSources: (_, input, { management, caller }) => readObservedSources(management, caller, input),
    unlistedSources: (_, { keyId }, { management, caller }) => readUnlistedSources(management, caller, keyId),
    addressActivity: (_, input, { management, caller }) => readAddressActivity(management, caller, input),
    previewAllowedIps: (_, input, { management, caller }) => previewAllowedIps(management, caller, input),
    teamUsage: (_, input, { management, caller }) => readTeamUsage(management, caller, input),
    rejectedKeys: (_, input, { management, caller }) => readRejectedKeys(management, caller, input),
    keysOverview: (_, input, { management, caller }) => readKeysOverview(management, caller, input),
    keyValues: (_, input, { management, caller }) => readKeyValues(management, caller, input),
    explainVerification: (_, { input }, { management, caller }) => explainVerification(management, caller, input),
    findKeys: (_, input, { management, caller }) => findKeys(management, caller, input),
    members: (_, input, { management, caller }) => readMembers(management, caller, input),
    keyByExternalId: (_, name, { management, caller }) => readNamedKey(management, caller, name),
    managementKeys: (_, { teamId }, { management, caller }) => listManagementKeys(management, caller, teamId),
    managementKey: (_, { id }, { management, caller }) => readManagementKey(management, caller, id),
    trustRules: (_, { teamId }, { management, caller }) => listTrustRules(management, caller, teamId),
    derivedUse: (_, { keyId }, { management, caller }) => readDerivedUse(management, caller, keyId),
    receipt: (_, { revision }, { management, caller }) => readReceipt(management, caller, revision),
    fences: (_, { teamId }, { management, caller }) => listFences(management, caller, teamId),
    trustedIssuers: (_, __, { management }) => management.trustedIssuers,
    keyPolicy: (_, { teamId, env }, { management, caller }) => readKeyPolicy(management, caller, teamId, env),
    keyPolicies: (_, { teamId }, { management, caller }) => readKeyPolicies(management, caller, teamId),
    policyBounds: (_, __, { management }) => management.policyBounds,
    leakPolicy: (_, { teamId }, { management, caller }) => readLeakPolicy(management, caller, teamId),
    auditLog: (_, input, { management, caller }) => readAuditLog(management, caller, input),
    events: (_, input, { management, caller }) => readEvents(management, caller, input),
    webhooks: (_, { teamId }, { management, caller }) => listWebhooks(management, caller, teamId),
    deliveries: (_, input, { management, caller }) => readDeliveries(management, caller, input),
  },
  Mutation: {
    createKey: (_, { input, idempotencyKey }, { management, caller }) =>
      createKey(management, caller, input, idempotencyKey),
    importKeys: (_, input, { management, caller }) => importKeys(management, caller, input),
    updateKey: async (_, { id, input, ifRevision }, { management, caller }) => ({
      apiKey: await updateKey(management, caller, id, input, ifRevision),
    }),
    putKey: (_, { input, ...condition }, { management, caller }) => putKey(management, caller, input, condition),
    revokeKeyByExternalId: async (_, name, { management, caller }) => ({
      apiKey: await revokeNamedKey(management, caller, name),
    }),
    changeKeys: (_, input, { management, caller }) => changeKeys(management, caller, input),
    rotateKey: (_, { id, ...input }, { management, caller }) => rotateKey(management, caller, id, input),
    endOverlap: async (_, { id }, { management, caller }) => ({ apiKey: await endOverlap(management, caller, id) }),
    disableKey: async (_, { id, reason }, { management, caller }) => ({
      apiKey: await disableKey(management, caller, id, reason),
    }),
    enableKey: async (_, { id, reason }, { management, caller }) => ({
      apiKey: await enableKey(management, caller, id, reason),
    }),
    revokeKey: async (_, { id }, { management, caller }) => ({ apiKey: await revokeKey(management, caller, id) }),
    revokeKeys: (_, input, { management, caller }) => revokeKeys(management, caller, input),
    enableSigning: (_, { id }, { management, caller }) => enableSigning(management, caller, id),
    rotateSigningSecret: (_, { id, overlapSeconds }, { management, caller }) =>
      rotateSigningSecret(management, caller, id, overlapSeconds),
    setKeyPolicy: async (_, { input }, { management, caller }) => ({
      policy: await setKeyPolicy(management, caller, input),
    }),
    setLeakPolicy: async (_, { teamId, policy }, { management, caller }) => ({
      policy: await setLeakPolicy(management, caller, teamId, policy),
    }),
    disableSigning: async (_, { id }, { management, caller }) => ({
      apiKey: await disableSigning(management, caller, id),
    }),
    createManagementKey: (_, { input }, { management, caller }) => createManagementKey(management, caller, input),
    rotateManagementKey: (_, { id, overlapSeconds }, { management, caller }) =>
      rotateManagementKey(management, caller, id, overlapSeconds),
    revokeManagementKey: async (_, { id }, { management, caller }) => ({
      managementKey: await revokeManagementKey(management, caller, id),
    }),
    createTrustRule: async (_, { input }, { management, caller }) => ({
      trustRule: await createTrustRule(management, caller, input),
    }),
    deleteTrustRule: async (_, { id }, { management, caller }) => {
      await deleteTrustRule(management, caller, id);
      return { id };
    },
    freezeKeys: async (_, { input }, { management, caller }) => {
      const { calls, ...frozen } = await freezeKeys(management, caller, input);
      return { ...frozen, calls: calls === null ? null : asInt(calls) };
    },
    unfreezeKeys: async (_, { id }, { management, caller }) => {
      await liftFence(management, caller, id);
      return { id };
    },
    removeMember: async (_, { teamId, subject }, { management, caller }) => ({
      member: await removeMember(management, caller, teamId, subject),
    }),
    importMembers: (_, { input }, { management, caller }) => importMembers(management, caller, input),
    handOverKeys: (_, input, { management, caller }) => handOverKeys(management, caller, input),
    createWebhook: (_, { input }, { management, caller }) => createWebhook(management, caller, input),
    updateWebhook: async (_, { id, input }, { management, caller }) => ({
      webhook: await updateWebhook(management, caller, id, input),
    }),
    deleteWebhook: async (_, { id }, { management, caller }) => {
      await deleteWebhook(management, caller, id);
      return { id };
    },
    rotateWebhookSecret: (_, { id, overlapSeconds }, { management, caller }) =>
      rotateWebhookSecret(management, caller, id, overlapSeconds),
    sendTestEvent: async (_, { id }, { management, caller }) => ({
      delivery: await sendTestEvent(management, caller, id),
    }),
    replayEvents: async (_, input, { management, caller }) => ({
      count: await replayEvents(management, caller, input),
    }),
  },
  ApiKey: {
    state: (key, _, { caller }) => stateOf(key, caller.now),
    allowedIpsCount: ({ allowedIps }) => allowedIps.length,
    createdBy: ({ id }, _, { creators }) => creators.load(id),
    signingEnabled: (key) => key.signingEnvelope !== null,
    previousSecretExpiresAt: (key) => overlapEnd(key, 'key'),
    previousSigningSecretExpiresAt: (key) => overlapEnd(key, 'signing'),
    revision: (key, _, { management }) => management.revisions.encode(key.revision),
    lastUsedAt: ({ id, lastUsedAt }, _, { lastUsed }) => (lastUsedAt === undefined ? lastUsed.load(id) : lastUsedAt),
    callsByDay: async (key, { days }, { caller, callsByDay }) =>
      accessOf(caller.session, key.teamId, 'view_team') === 'granted'
        ? (await callsByDay.load({ keyId: key.id, days })).map(asInt)
        : null,
    leak: ({ id, teamId }, _, { caller, leaks }) =>
      accessOf(caller.session, teamId, 'view_team') === 'granted' ? leaks.load(id) : null,
    policyViolations: async (key, _, { caller, teamRules }) => {
      if (key.revokedAt !== null || accessOf(caller.session, key.teamId, 'view_team') !== 'granted') return [];
      return violationsOf((await teamRules.load(key.teamId))?.[key.env] ?? noRules, key, caller.now);
    },
    secrets: (key, _, { lastUsed, lastUsedSecrets }) =>
      keySecrets(
        key,
        () => lastUsed.load(key.id),
        () => lastUsedSecrets.load(key),
      ),
  },
  ApiKeyConnection: {
    ...connectionResolvers<StoredKey>(),
    totalCount: async (page) => (await page.countAll()).count,
    totalCountIsPartial: async (page) => (await page.countAll()).isPartial,
  },
  AuditEntry: {
    // An instance of a newer version may have written it.
    action: ({ action }) => (isTeamAction(action) ? action : 'KEY_UPDATED'),
    id: (entry, _, { management }) => management.revisions.encode(entry.revision),
    keyName: ({ keyId }, _, { keyNames }) => keyNames.load(keyId),
  },
  AuditEntryConnection: connectionResolvers<AuditEntry>(),
  Member: {
    state: (member, _, { caller }) => memberState(member, caller.now),
    keyCount: ({ countKeys }) => countKeys(),
  },
  MemberConnection: connectionResolvers<CountedMember>(),
  ManagementKey: {
    state: (key, _, { caller }) => managementKeyState(key, caller.now),
    signingEnabled: ({ signingEnvelope }) => signingEnvelope !== null,
    previousSecretExpiresAt: ({ previousExpiresAt }) => previousExpiresAt,
    lastUsedAt: ({ id }, _, { lastUsed }) => lastUsed.load(id),
    observedSources: async ({ id, secretVersion }, _, { management }) =>
      (await management.store.observedSources.list(id, secretVersion)).listed,
  },
  TrustRule: { lastUsedAt: ({ id }, _, { lastUsed }) => lastUsed.load(id) },
  Webhook: {
    publicKey: (webhook, _, { management }) => publicKeyOf(management.signingKeks, webhook),
    lastDelivery: ({ id }, _, { lastDeliveries }) => lastDeliveries.load(id),
    health: ({ id }, _, { deliveryHealth }) => deliveryHealth.load(id),
  },
  Delivery: {
    eventId: ({ revision }, _, { management }) => eventIdOf(revision, management.revisions),
    keyName: ({ keyId }, _, { keyNames }) => keyNames.load(keyId),
  },
  DeliveryConnection: connectionResolvers<Delivery>(),
  ViewerTeam: { name: ({ id, name }, _, { teamNames }) => name ?? teamNames.load(id) },
  ObservedSource: {
    acceptedByDay: async ({ keyId, address }, _, { sourceDays, caller }) =>
      countsByDay((await sourceDays.load(keyId))?.get(address), 'accepted', caller.now),
    rejectedByDay: async ({ keyId, address }, _, { sourceDays, caller }) =>
      countsByDay((await sourceDays.load(keyId))?.get(address), 'rejected', caller.now),
  },
  AddressUse: { accepted: ({ accepted }) => asInt(accepted), rejected: ({ rejected }) => asInt(rejected) },
  RejectedKey: { count: ({ count }) => asInt(count) },
  DerivedUse: { count: ({ count }) => asInt(count) },
  UsageHour: { count: ({ count }) => asInt(count) },
  VerdictCount: { count: ({ count }) => asInt(count) },
  PageInfo: {
    startCursor: (page) => page.edges.at(0)?.cursor ?? null,
    endCursor: (page) => page.endCursor ?? page.edges.at(-1)?.cursor ?? null,
  },
};

function connectionResolvers<T>() {
  return {
    nodes: (page: Page<T>) => page.edges.map(({ node }) => node),
    pageInfo: (page: Page<T>) => page,
  };
}

/** Limits a count to the maximum of GraphQL's Int: a larger number would fail the whole response. */
function asInt(count: number): number {
  return Math.min(count, 2 ** 31 - 1);
}

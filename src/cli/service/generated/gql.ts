/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  fragment CliKey on ApiKey {\n    id teamId name description env prefix state allowedIps scopes externalId responsible tags metadata rateLimit { limit windowSeconds }\n    expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n    previousSigningSecretExpiresAt revokedAt revision\n  }\n": typeof types.CliKeyFragmentDoc,
    "\n  query CliViewer { viewer { subject teams { id name permissions } } }\n": typeof types.CliViewerDocument,
    "\n  query CliReadKey($id: UUID!) { key(id: $id) { ...CliKey tripwire } }\n": typeof types.CliReadKeyDocument,
    "\n  query CliListKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...CliKey }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.CliListKeysDocument,
    "\n  query CliListKeyIds($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { id }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.CliListKeyIdsDocument,
    "\n  query CliCountKeys($teamId: UUID!, $filter: KeyFilter) {\n    keys(teamId: $teamId, first: 1, filter: $filter) { totalCount }\n  }\n": typeof types.CliCountKeysDocument,
    "\n  mutation CliCreateKey($input: CreateKeyInput!) {\n    createKey(input: $input) { apiKey { ...CliKey } secret signingSecret }\n  }\n": typeof types.CliCreateKeyDocument,
    "\n  mutation CliPutKey($input: PutKeyInput!, $ifRevision: [ID!], $ifExists: Boolean) {\n    putKey(input: $input, ifRevision: $ifRevision, ifExists: $ifExists) { apiKey { ...CliKey } created secret }\n  }\n": typeof types.CliPutKeyDocument,
    "\n  mutation CliImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {\n    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {\n      results { outcome apiKey { id prefix } policyViolations { field message rule } }\n    }\n  }\n": typeof types.CliImportKeysDocument,
    "\n  query CliExportAuditLog($teamId: UUID!, $first: Int!, $after: String) {\n    auditLog(teamId: $teamId, first: $first, after: $after) {\n      nodes {\n        id action keyId keyName teamId actor actorKind source requestId at changes { field before after added removed }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.CliExportAuditLogDocument,
    "\n  query CliExportUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }\n  }\n": typeof types.CliExportUsageDocument,
    "\n  mutation CliUpdateKey($id: UUID!, $input: UpdateKeyInput!) {\n    changed: updateKey(id: $id, input: $input) { apiKey { ...CliKey } }\n  }\n": typeof types.CliUpdateKeyDocument,
    "\n  mutation CliRotateKey($id: UUID!, $overlapSeconds: Int!) {\n    changed: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...CliKey } secret }\n  }\n": typeof types.CliRotateKeyDocument,
    "\n  mutation CliEndOverlap($id: UUID!) { changed: endOverlap(id: $id) { apiKey { ...CliKey } } }\n": typeof types.CliEndOverlapDocument,
    "\n  mutation CliDisableKey($id: UUID!, $reason: String) {\n    changed: disableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }\n  }\n": typeof types.CliDisableKeyDocument,
    "\n  mutation CliEnableKey($id: UUID!, $reason: String) {\n    changed: enableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }\n  }\n": typeof types.CliEnableKeyDocument,
    "\n  mutation CliRevokeKey($id: UUID!) { changed: revokeKey(id: $id) { apiKey { ...CliKey } } }\n": typeof types.CliRevokeKeyDocument,
    "\n  query CliObservedSources($keyId: UUID!) {\n    observedSources(keyId: $keyId) { address secret firstAt lastAt counts { code count } }\n    unlistedSources(keyId: $keyId) { lastAt }\n  }\n": typeof types.CliObservedSourcesDocument,
    "\n  mutation CliEnableSigning($id: UUID!) { changed: enableSigning(id: $id) { apiKey { id } signingSecret } }\n": typeof types.CliEnableSigningDocument,
    "\n  mutation CliRotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {\n    changed: rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { id } signingSecret }\n  }\n": typeof types.CliRotateSigningSecretDocument,
    "\n  mutation CliDisableSigning($id: UUID!) { changed: disableSigning(id: $id) { apiKey { ...CliKey } } }\n": typeof types.CliDisableSigningDocument,
    "\n  query CliLeakPolicy($teamId: UUID!) { policy: leakPolicy(teamId: $teamId) }\n": typeof types.CliLeakPolicyDocument,
    "\n  mutation CliSetLeakPolicy($teamId: UUID!, $policy: LeakPolicyAction!) {\n    changed: setLeakPolicy(teamId: $teamId, policy: $policy) { policy }\n  }\n": typeof types.CliSetLeakPolicyDocument,
    "\n  fragment CliManagementKey on ManagementKey {\n    id teamId name prefix permissions allowedIps expiresAt state signingEnabled createdAt createdBy rotatedAt\n    previousPrefix previousSecretExpiresAt lastUsedAt revokedAt\n  }\n": typeof types.CliManagementKeyFragmentDoc,
    "\n  query CliManagementKeys($teamId: UUID!) { managementKeys(teamId: $teamId) { ...CliManagementKey } }\n": typeof types.CliManagementKeysDocument,
    "\n  mutation CliCreateManagementKey($input: CreateManagementKeyInput!) {\n    issued: createManagementKey(input: $input) { managementKey { ...CliManagementKey } secret signingSecret }\n  }\n": typeof types.CliCreateManagementKeyDocument,
    "\n  mutation CliRotateManagementKey($id: UUID!, $overlapSeconds: Int!) {\n    issued: rotateManagementKey(id: $id, overlapSeconds: $overlapSeconds) { managementKey { ...CliManagementKey } secret }\n  }\n": typeof types.CliRotateManagementKeyDocument,
    "\n  mutation CliRevokeManagementKey($id: UUID!) {\n    revoked: revokeManagementKey(id: $id) { managementKey { ...CliManagementKey } }\n  }\n": typeof types.CliRevokeManagementKeyDocument,
    "\n  fragment CliTrustRule on TrustRule {\n    id teamId name issuer audience claims permissions once createdAt createdBy lastUsedAt\n  }\n": typeof types.CliTrustRuleFragmentDoc,
    "\n  query CliTrustRules($teamId: UUID!) { trustRules(teamId: $teamId) { ...CliTrustRule } }\n": typeof types.CliTrustRulesDocument,
    "\n  mutation CliCreateTrustRule($input: CreateTrustRuleInput!) {\n    createTrustRule(input: $input) { trustRule { ...CliTrustRule } }\n  }\n": typeof types.CliCreateTrustRuleDocument,
    "\n  mutation CliDeleteTrustRule($id: UUID!) { deleteTrustRule(id: $id) { id } }\n": typeof types.CliDeleteTrustRuleDocument,
    "\n  fragment CliMember on Member { subject state seenAt leftAt keyCount }\n": typeof types.CliMemberFragmentDoc,
    "\n  query CliMembers($teamId: UUID!, $state: [MemberState!], $first: Int!, $after: String) {\n    members(teamId: $teamId, state: $state, first: $first, after: $after) {\n      nodes { ...CliMember }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.CliMembersDocument,
    "\n  mutation CliRemoveMember($teamId: UUID!, $subject: String!) {\n    removeMember(teamId: $teamId, subject: $subject) { member { ...CliMember } }\n  }\n": typeof types.CliRemoveMemberDocument,
    "\n  mutation CliImportMembers($input: ImportMembersInput!) { importMembers(input: $input) { added left hasMore } }\n": typeof types.CliImportMembersDocument,
    "\n  mutation CliHandOverKeys($teamId: UUID!, $from: String!, $to: String!) {\n    handOverKeys(teamId: $teamId, from: $from, to: $to) { results { outcome apiKey { id name } } hasMore }\n  }\n": typeof types.CliHandOverKeysDocument,
    "\n  fragment CliDelivery on Delivery {\n    eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt\n  }\n": typeof types.CliDeliveryFragmentDoc,
    "\n  fragment CliWebhook on Webhook {\n    id teamId url description types form signature publicKey createdAt disabledAt disabledReason previousSecretExpiresAt\n  }\n": typeof types.CliWebhookFragmentDoc,
    "\n  query CliReadWebhooks($teamId: UUID!) { webhooks(teamId: $teamId) { ...CliWebhook lastDelivery { ...CliDelivery } } }\n": typeof types.CliReadWebhooksDocument,
    "\n  mutation CliCreateWebhook($input: CreateWebhookInput!) {\n    issued: createWebhook(input: $input) { webhook { ...CliWebhook } secret }\n  }\n": typeof types.CliCreateWebhookDocument,
    "\n  mutation CliUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {\n    updateWebhook(id: $id, input: $input) { webhook { ...CliWebhook } }\n  }\n": typeof types.CliUpdateWebhookDocument,
    "\n  mutation CliDeleteWebhook($id: UUID!) { deleteWebhook(id: $id) { id } }\n": typeof types.CliDeleteWebhookDocument,
    "\n  mutation CliRotateWebhookSecret($id: UUID!, $overlapSeconds: Int!) {\n    issued: rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { webhook { ...CliWebhook } secret }\n  }\n": typeof types.CliRotateWebhookSecretDocument,
    "\n  mutation CliSendTestEvent($id: UUID!) { sendTestEvent(id: $id) { delivery { ...CliDelivery } } }\n": typeof types.CliSendTestEventDocument,
    "\n  query CliReadDeliveries($webhookId: UUID!, $outcome: DeliveryOutcome, $first: Int!, $after: String) {\n    deliveries(webhookId: $webhookId, outcome: $outcome, first: $first, after: $after) {\n      nodes { ...CliDelivery }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.CliReadDeliveriesDocument,
    "\n  mutation CliReplayEvents($webhookId: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime, $failed: Boolean!) {\n    replayEvents(webhookId: $webhookId, eventIds: $eventIds, from: $from, to: $to, failed: $failed) { count }\n  }\n": typeof types.CliReplayEventsDocument,
    "\n  query CliKeyPolicy($teamId: UUID!, $env: KeyEnv!) { keyPolicy(teamId: $teamId, env: $env) { ...CliPolicy } }\n  fragment CliPolicy on KeyPolicy {\n    maxLifetimeSeconds requireExpiry requireAllowedIps requireSigning maxSecretAgeSeconds\n    scopes { name description } maxRateLimit { limit windowSeconds }\n    defaults { lifetimeSeconds allowedIps scopes rateLimit { limit windowSeconds } } enforceAfter\n  }\n": typeof types.CliKeyPolicyDocument,
    "\n  mutation CliSetKeyPolicy($input: SetKeyPolicyInput!) { set: setKeyPolicy(input: $input) { policy { ...CliPolicy } } }\n": typeof types.CliSetKeyPolicyDocument,
    "\n  query CliViolatingKeys($teamId: UUID!, $after: String) {\n    keys(teamId: $teamId, first: 100, after: $after, filter: { state: [ACTIVE], violating: true }) {\n      nodes { id prefix name env policyViolations { rule field message } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.CliViolatingKeysDocument,
    "\n  fragment CliFence on Fence {\n    id teamId reason env tags externalId responsible createdBefore until createdAt createdBy\n  }\n": typeof types.CliFenceFragmentDoc,
    "\n  query CliFences($teamId: UUID!) { fences(teamId: $teamId) { ...CliFence } }\n": typeof types.CliFencesDocument,
    "\n  mutation CliFreezeKeys($input: FreezeKeysInput!) {\n    freezeKeys(input: $input) { fence { ...CliFence } revision keys calls }\n  }\n": typeof types.CliFreezeKeysDocument,
    "\n  mutation CliUnfreezeKeys($id: UUID!) { unfreezeKeys(id: $id) { id } }\n": typeof types.CliUnfreezeKeysDocument,
    "\n  query CliReceipt($revision: ID!) { receipt(revision: $revision) { statement payload protected signature } }\n": typeof types.CliReceiptDocument,
};
const documents: Documents = {
    "\n  fragment CliKey on ApiKey {\n    id teamId name description env prefix state allowedIps scopes externalId responsible tags metadata rateLimit { limit windowSeconds }\n    expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n    previousSigningSecretExpiresAt revokedAt revision\n  }\n": types.CliKeyFragmentDoc,
    "\n  query CliViewer { viewer { subject teams { id name permissions } } }\n": types.CliViewerDocument,
    "\n  query CliReadKey($id: UUID!) { key(id: $id) { ...CliKey tripwire } }\n": types.CliReadKeyDocument,
    "\n  query CliListKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...CliKey }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.CliListKeysDocument,
    "\n  query CliListKeyIds($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { id }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.CliListKeyIdsDocument,
    "\n  query CliCountKeys($teamId: UUID!, $filter: KeyFilter) {\n    keys(teamId: $teamId, first: 1, filter: $filter) { totalCount }\n  }\n": types.CliCountKeysDocument,
    "\n  mutation CliCreateKey($input: CreateKeyInput!) {\n    createKey(input: $input) { apiKey { ...CliKey } secret signingSecret }\n  }\n": types.CliCreateKeyDocument,
    "\n  mutation CliPutKey($input: PutKeyInput!, $ifRevision: [ID!], $ifExists: Boolean) {\n    putKey(input: $input, ifRevision: $ifRevision, ifExists: $ifExists) { apiKey { ...CliKey } created secret }\n  }\n": types.CliPutKeyDocument,
    "\n  mutation CliImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {\n    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {\n      results { outcome apiKey { id prefix } policyViolations { field message rule } }\n    }\n  }\n": types.CliImportKeysDocument,
    "\n  query CliExportAuditLog($teamId: UUID!, $first: Int!, $after: String) {\n    auditLog(teamId: $teamId, first: $first, after: $after) {\n      nodes {\n        id action keyId keyName teamId actor actorKind source requestId at changes { field before after added removed }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.CliExportAuditLogDocument,
    "\n  query CliExportUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }\n  }\n": types.CliExportUsageDocument,
    "\n  mutation CliUpdateKey($id: UUID!, $input: UpdateKeyInput!) {\n    changed: updateKey(id: $id, input: $input) { apiKey { ...CliKey } }\n  }\n": types.CliUpdateKeyDocument,
    "\n  mutation CliRotateKey($id: UUID!, $overlapSeconds: Int!) {\n    changed: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...CliKey } secret }\n  }\n": types.CliRotateKeyDocument,
    "\n  mutation CliEndOverlap($id: UUID!) { changed: endOverlap(id: $id) { apiKey { ...CliKey } } }\n": types.CliEndOverlapDocument,
    "\n  mutation CliDisableKey($id: UUID!, $reason: String) {\n    changed: disableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }\n  }\n": types.CliDisableKeyDocument,
    "\n  mutation CliEnableKey($id: UUID!, $reason: String) {\n    changed: enableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }\n  }\n": types.CliEnableKeyDocument,
    "\n  mutation CliRevokeKey($id: UUID!) { changed: revokeKey(id: $id) { apiKey { ...CliKey } } }\n": types.CliRevokeKeyDocument,
    "\n  query CliObservedSources($keyId: UUID!) {\n    observedSources(keyId: $keyId) { address secret firstAt lastAt counts { code count } }\n    unlistedSources(keyId: $keyId) { lastAt }\n  }\n": types.CliObservedSourcesDocument,
    "\n  mutation CliEnableSigning($id: UUID!) { changed: enableSigning(id: $id) { apiKey { id } signingSecret } }\n": types.CliEnableSigningDocument,
    "\n  mutation CliRotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {\n    changed: rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { id } signingSecret }\n  }\n": types.CliRotateSigningSecretDocument,
    "\n  mutation CliDisableSigning($id: UUID!) { changed: disableSigning(id: $id) { apiKey { ...CliKey } } }\n": types.CliDisableSigningDocument,
    "\n  query CliLeakPolicy($teamId: UUID!) { policy: leakPolicy(teamId: $teamId) }\n": types.CliLeakPolicyDocument,
    "\n  mutation CliSetLeakPolicy($teamId: UUID!, $policy: LeakPolicyAction!) {\n    changed: setLeakPolicy(teamId: $teamId, policy: $policy) { policy }\n  }\n": types.CliSetLeakPolicyDocument,
    "\n  fragment CliManagementKey on ManagementKey {\n    id teamId name prefix permissions allowedIps expiresAt state signingEnabled createdAt createdBy rotatedAt\n    previousPrefix previousSecretExpiresAt lastUsedAt revokedAt\n  }\n": types.CliManagementKeyFragmentDoc,
    "\n  query CliManagementKeys($teamId: UUID!) { managementKeys(teamId: $teamId) { ...CliManagementKey } }\n": types.CliManagementKeysDocument,
    "\n  mutation CliCreateManagementKey($input: CreateManagementKeyInput!) {\n    issued: createManagementKey(input: $input) { managementKey { ...CliManagementKey } secret signingSecret }\n  }\n": types.CliCreateManagementKeyDocument,
    "\n  mutation CliRotateManagementKey($id: UUID!, $overlapSeconds: Int!) {\n    issued: rotateManagementKey(id: $id, overlapSeconds: $overlapSeconds) { managementKey { ...CliManagementKey } secret }\n  }\n": types.CliRotateManagementKeyDocument,
    "\n  mutation CliRevokeManagementKey($id: UUID!) {\n    revoked: revokeManagementKey(id: $id) { managementKey { ...CliManagementKey } }\n  }\n": types.CliRevokeManagementKeyDocument,
    "\n  fragment CliTrustRule on TrustRule {\n    id teamId name issuer audience claims permissions once createdAt createdBy lastUsedAt\n  }\n": types.CliTrustRuleFragmentDoc,
    "\n  query CliTrustRules($teamId: UUID!) { trustRules(teamId: $teamId) { ...CliTrustRule } }\n": types.CliTrustRulesDocument,
    "\n  mutation CliCreateTrustRule($input: CreateTrustRuleInput!) {\n    createTrustRule(input: $input) { trustRule { ...CliTrustRule } }\n  }\n": types.CliCreateTrustRuleDocument,
    "\n  mutation CliDeleteTrustRule($id: UUID!) { deleteTrustRule(id: $id) { id } }\n": types.CliDeleteTrustRuleDocument,
    "\n  fragment CliMember on Member { subject state seenAt leftAt keyCount }\n": types.CliMemberFragmentDoc,
    "\n  query CliMembers($teamId: UUID!, $state: [MemberState!], $first: Int!, $after: String) {\n    members(teamId: $teamId, state: $state, first: $first, after: $after) {\n      nodes { ...CliMember }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.CliMembersDocument,
    "\n  mutation CliRemoveMember($teamId: UUID!, $subject: String!) {\n    removeMember(teamId: $teamId, subject: $subject) { member { ...CliMember } }\n  }\n": types.CliRemoveMemberDocument,
    "\n  mutation CliImportMembers($input: ImportMembersInput!) { importMembers(input: $input) { added left hasMore } }\n": types.CliImportMembersDocument,
    "\n  mutation CliHandOverKeys($teamId: UUID!, $from: String!, $to: String!) {\n    handOverKeys(teamId: $teamId, from: $from, to: $to) { results { outcome apiKey { id name } } hasMore }\n  }\n": types.CliHandOverKeysDocument,
    "\n  fragment CliDelivery on Delivery {\n    eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt\n  }\n": types.CliDeliveryFragmentDoc,
    "\n  fragment CliWebhook on Webhook {\n    id teamId url description types form signature publicKey createdAt disabledAt disabledReason previousSecretExpiresAt\n  }\n": types.CliWebhookFragmentDoc,
    "\n  query CliReadWebhooks($teamId: UUID!) { webhooks(teamId: $teamId) { ...CliWebhook lastDelivery { ...CliDelivery } } }\n": types.CliReadWebhooksDocument,
    "\n  mutation CliCreateWebhook($input: CreateWebhookInput!) {\n    issued: createWebhook(input: $input) { webhook { ...CliWebhook } secret }\n  }\n": types.CliCreateWebhookDocument,
    "\n  mutation CliUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {\n    updateWebhook(id: $id, input: $input) { webhook { ...CliWebhook } }\n  }\n": types.CliUpdateWebhookDocument,
    "\n  mutation CliDeleteWebhook($id: UUID!) { deleteWebhook(id: $id) { id } }\n": types.CliDeleteWebhookDocument,
    "\n  mutation CliRotateWebhookSecret($id: UUID!, $overlapSeconds: Int!) {\n    issued: rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { webhook { ...CliWebhook } secret }\n  }\n": types.CliRotateWebhookSecretDocument,
    "\n  mutation CliSendTestEvent($id: UUID!) { sendTestEvent(id: $id) { delivery { ...CliDelivery } } }\n": types.CliSendTestEventDocument,
    "\n  query CliReadDeliveries($webhookId: UUID!, $outcome: DeliveryOutcome, $first: Int!, $after: String) {\n    deliveries(webhookId: $webhookId, outcome: $outcome, first: $first, after: $after) {\n      nodes { ...CliDelivery }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.CliReadDeliveriesDocument,
    "\n  mutation CliReplayEvents($webhookId: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime, $failed: Boolean!) {\n    replayEvents(webhookId: $webhookId, eventIds: $eventIds, from: $from, to: $to, failed: $failed) { count }\n  }\n": types.CliReplayEventsDocument,
    "\n  query CliKeyPolicy($teamId: UUID!, $env: KeyEnv!) { keyPolicy(teamId: $teamId, env: $env) { ...CliPolicy } }\n  fragment CliPolicy on KeyPolicy {\n    maxLifetimeSeconds requireExpiry requireAllowedIps requireSigning maxSecretAgeSeconds\n    scopes { name description } maxRateLimit { limit windowSeconds }\n    defaults { lifetimeSeconds allowedIps scopes rateLimit { limit windowSeconds } } enforceAfter\n  }\n": types.CliKeyPolicyDocument,
    "\n  mutation CliSetKeyPolicy($input: SetKeyPolicyInput!) { set: setKeyPolicy(input: $input) { policy { ...CliPolicy } } }\n": types.CliSetKeyPolicyDocument,
    "\n  query CliViolatingKeys($teamId: UUID!, $after: String) {\n    keys(teamId: $teamId, first: 100, after: $after, filter: { state: [ACTIVE], violating: true }) {\n      nodes { id prefix name env policyViolations { rule field message } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.CliViolatingKeysDocument,
    "\n  fragment CliFence on Fence {\n    id teamId reason env tags externalId responsible createdBefore until createdAt createdBy\n  }\n": types.CliFenceFragmentDoc,
    "\n  query CliFences($teamId: UUID!) { fences(teamId: $teamId) { ...CliFence } }\n": types.CliFencesDocument,
    "\n  mutation CliFreezeKeys($input: FreezeKeysInput!) {\n    freezeKeys(input: $input) { fence { ...CliFence } revision keys calls }\n  }\n": types.CliFreezeKeysDocument,
    "\n  mutation CliUnfreezeKeys($id: UUID!) { unfreezeKeys(id: $id) { id } }\n": types.CliUnfreezeKeysDocument,
    "\n  query CliReceipt($revision: ID!) { receipt(revision: $revision) { statement payload protected signature } }\n": types.CliReceiptDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CliKey on ApiKey {\n    id teamId name description env prefix state allowedIps scopes externalId responsible tags metadata rateLimit { limit windowSeconds }\n    expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n    previousSigningSecretExpiresAt revokedAt revision\n  }\n"): typeof import('./graphql.ts').CliKeyFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliViewer { viewer { subject teams { id name permissions } } }\n"): typeof import('./graphql.ts').CliViewerDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliReadKey($id: UUID!) { key(id: $id) { ...CliKey tripwire } }\n"): typeof import('./graphql.ts').CliReadKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliListKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { ...CliKey }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').CliListKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliListKeyIds($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {\n    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {\n      nodes { id }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').CliListKeyIdsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliCountKeys($teamId: UUID!, $filter: KeyFilter) {\n    keys(teamId: $teamId, first: 1, filter: $filter) { totalCount }\n  }\n"): typeof import('./graphql.ts').CliCountKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliCreateKey($input: CreateKeyInput!) {\n    createKey(input: $input) { apiKey { ...CliKey } secret signingSecret }\n  }\n"): typeof import('./graphql.ts').CliCreateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliPutKey($input: PutKeyInput!, $ifRevision: [ID!], $ifExists: Boolean) {\n    putKey(input: $input, ifRevision: $ifRevision, ifExists: $ifExists) { apiKey { ...CliKey } created secret }\n  }\n"): typeof import('./graphql.ts').CliPutKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {\n    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {\n      results { outcome apiKey { id prefix } policyViolations { field message rule } }\n    }\n  }\n"): typeof import('./graphql.ts').CliImportKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliExportAuditLog($teamId: UUID!, $first: Int!, $after: String) {\n    auditLog(teamId: $teamId, first: $first, after: $after) {\n      nodes {\n        id action keyId keyName teamId actor actorKind source requestId at changes { field before after added removed }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').CliExportAuditLogDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliExportUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {\n    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }\n  }\n"): typeof import('./graphql.ts').CliExportUsageDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliUpdateKey($id: UUID!, $input: UpdateKeyInput!) {\n    changed: updateKey(id: $id, input: $input) { apiKey { ...CliKey } }\n  }\n"): typeof import('./graphql.ts').CliUpdateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliRotateKey($id: UUID!, $overlapSeconds: Int!) {\n    changed: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...CliKey } secret }\n  }\n"): typeof import('./graphql.ts').CliRotateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliEndOverlap($id: UUID!) { changed: endOverlap(id: $id) { apiKey { ...CliKey } } }\n"): typeof import('./graphql.ts').CliEndOverlapDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliDisableKey($id: UUID!, $reason: String) {\n    changed: disableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }\n  }\n"): typeof import('./graphql.ts').CliDisableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliEnableKey($id: UUID!, $reason: String) {\n    changed: enableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }\n  }\n"): typeof import('./graphql.ts').CliEnableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliRevokeKey($id: UUID!) { changed: revokeKey(id: $id) { apiKey { ...CliKey } } }\n"): typeof import('./graphql.ts').CliRevokeKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliObservedSources($keyId: UUID!) {\n    observedSources(keyId: $keyId) { address secret firstAt lastAt counts { code count } }\n    unlistedSources(keyId: $keyId) { lastAt }\n  }\n"): typeof import('./graphql.ts').CliObservedSourcesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliEnableSigning($id: UUID!) { changed: enableSigning(id: $id) { apiKey { id } signingSecret } }\n"): typeof import('./graphql.ts').CliEnableSigningDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliRotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {\n    changed: rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { id } signingSecret }\n  }\n"): typeof import('./graphql.ts').CliRotateSigningSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliDisableSigning($id: UUID!) { changed: disableSigning(id: $id) { apiKey { ...CliKey } } }\n"): typeof import('./graphql.ts').CliDisableSigningDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliLeakPolicy($teamId: UUID!) { policy: leakPolicy(teamId: $teamId) }\n"): typeof import('./graphql.ts').CliLeakPolicyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliSetLeakPolicy($teamId: UUID!, $policy: LeakPolicyAction!) {\n    changed: setLeakPolicy(teamId: $teamId, policy: $policy) { policy }\n  }\n"): typeof import('./graphql.ts').CliSetLeakPolicyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CliManagementKey on ManagementKey {\n    id teamId name prefix permissions allowedIps expiresAt state signingEnabled createdAt createdBy rotatedAt\n    previousPrefix previousSecretExpiresAt lastUsedAt revokedAt\n  }\n"): typeof import('./graphql.ts').CliManagementKeyFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliManagementKeys($teamId: UUID!) { managementKeys(teamId: $teamId) { ...CliManagementKey } }\n"): typeof import('./graphql.ts').CliManagementKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliCreateManagementKey($input: CreateManagementKeyInput!) {\n    issued: createManagementKey(input: $input) { managementKey { ...CliManagementKey } secret signingSecret }\n  }\n"): typeof import('./graphql.ts').CliCreateManagementKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliRotateManagementKey($id: UUID!, $overlapSeconds: Int!) {\n    issued: rotateManagementKey(id: $id, overlapSeconds: $overlapSeconds) { managementKey { ...CliManagementKey } secret }\n  }\n"): typeof import('./graphql.ts').CliRotateManagementKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliRevokeManagementKey($id: UUID!) {\n    revoked: revokeManagementKey(id: $id) { managementKey { ...CliManagementKey } }\n  }\n"): typeof import('./graphql.ts').CliRevokeManagementKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CliTrustRule on TrustRule {\n    id teamId name issuer audience claims permissions once createdAt createdBy lastUsedAt\n  }\n"): typeof import('./graphql.ts').CliTrustRuleFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliTrustRules($teamId: UUID!) { trustRules(teamId: $teamId) { ...CliTrustRule } }\n"): typeof import('./graphql.ts').CliTrustRulesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliCreateTrustRule($input: CreateTrustRuleInput!) {\n    createTrustRule(input: $input) { trustRule { ...CliTrustRule } }\n  }\n"): typeof import('./graphql.ts').CliCreateTrustRuleDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliDeleteTrustRule($id: UUID!) { deleteTrustRule(id: $id) { id } }\n"): typeof import('./graphql.ts').CliDeleteTrustRuleDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CliMember on Member { subject state seenAt leftAt keyCount }\n"): typeof import('./graphql.ts').CliMemberFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliMembers($teamId: UUID!, $state: [MemberState!], $first: Int!, $after: String) {\n    members(teamId: $teamId, state: $state, first: $first, after: $after) {\n      nodes { ...CliMember }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').CliMembersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliRemoveMember($teamId: UUID!, $subject: String!) {\n    removeMember(teamId: $teamId, subject: $subject) { member { ...CliMember } }\n  }\n"): typeof import('./graphql.ts').CliRemoveMemberDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliImportMembers($input: ImportMembersInput!) { importMembers(input: $input) { added left hasMore } }\n"): typeof import('./graphql.ts').CliImportMembersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliHandOverKeys($teamId: UUID!, $from: String!, $to: String!) {\n    handOverKeys(teamId: $teamId, from: $from, to: $to) { results { outcome apiKey { id name } } hasMore }\n  }\n"): typeof import('./graphql.ts').CliHandOverKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CliDelivery on Delivery {\n    eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt\n  }\n"): typeof import('./graphql.ts').CliDeliveryFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CliWebhook on Webhook {\n    id teamId url description types form signature publicKey createdAt disabledAt disabledReason previousSecretExpiresAt\n  }\n"): typeof import('./graphql.ts').CliWebhookFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliReadWebhooks($teamId: UUID!) { webhooks(teamId: $teamId) { ...CliWebhook lastDelivery { ...CliDelivery } } }\n"): typeof import('./graphql.ts').CliReadWebhooksDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliCreateWebhook($input: CreateWebhookInput!) {\n    issued: createWebhook(input: $input) { webhook { ...CliWebhook } secret }\n  }\n"): typeof import('./graphql.ts').CliCreateWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {\n    updateWebhook(id: $id, input: $input) { webhook { ...CliWebhook } }\n  }\n"): typeof import('./graphql.ts').CliUpdateWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliDeleteWebhook($id: UUID!) { deleteWebhook(id: $id) { id } }\n"): typeof import('./graphql.ts').CliDeleteWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliRotateWebhookSecret($id: UUID!, $overlapSeconds: Int!) {\n    issued: rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { webhook { ...CliWebhook } secret }\n  }\n"): typeof import('./graphql.ts').CliRotateWebhookSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliSendTestEvent($id: UUID!) { sendTestEvent(id: $id) { delivery { ...CliDelivery } } }\n"): typeof import('./graphql.ts').CliSendTestEventDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliReadDeliveries($webhookId: UUID!, $outcome: DeliveryOutcome, $first: Int!, $after: String) {\n    deliveries(webhookId: $webhookId, outcome: $outcome, first: $first, after: $after) {\n      nodes { ...CliDelivery }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').CliReadDeliveriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliReplayEvents($webhookId: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime, $failed: Boolean!) {\n    replayEvents(webhookId: $webhookId, eventIds: $eventIds, from: $from, to: $to, failed: $failed) { count }\n  }\n"): typeof import('./graphql.ts').CliReplayEventsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliKeyPolicy($teamId: UUID!, $env: KeyEnv!) { keyPolicy(teamId: $teamId, env: $env) { ...CliPolicy } }\n  fragment CliPolicy on KeyPolicy {\n    maxLifetimeSeconds requireExpiry requireAllowedIps requireSigning maxSecretAgeSeconds\n    scopes { name description } maxRateLimit { limit windowSeconds }\n    defaults { lifetimeSeconds allowedIps scopes rateLimit { limit windowSeconds } } enforceAfter\n  }\n"): typeof import('./graphql.ts').CliKeyPolicyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliSetKeyPolicy($input: SetKeyPolicyInput!) { set: setKeyPolicy(input: $input) { policy { ...CliPolicy } } }\n"): typeof import('./graphql.ts').CliSetKeyPolicyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliViolatingKeys($teamId: UUID!, $after: String) {\n    keys(teamId: $teamId, first: 100, after: $after, filter: { state: [ACTIVE], violating: true }) {\n      nodes { id prefix name env policyViolations { rule field message } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').CliViolatingKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CliFence on Fence {\n    id teamId reason env tags externalId responsible createdBefore until createdAt createdBy\n  }\n"): typeof import('./graphql.ts').CliFenceFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliFences($teamId: UUID!) { fences(teamId: $teamId) { ...CliFence } }\n"): typeof import('./graphql.ts').CliFencesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliFreezeKeys($input: FreezeKeysInput!) {\n    freezeKeys(input: $input) { fence { ...CliFence } revision keys calls }\n  }\n"): typeof import('./graphql.ts').CliFreezeKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CliUnfreezeKeys($id: UUID!) { unfreezeKeys(id: $id) { id } }\n"): typeof import('./graphql.ts').CliUnfreezeKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CliReceipt($revision: ID!) { receipt(revision: $revision) { statement payload protected signature } }\n"): typeof import('./graphql.ts').CliReceiptDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

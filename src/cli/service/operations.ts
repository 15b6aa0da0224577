/** All GraphQL operations of the command line. The alias `changed` gives all changes of a key a common type. */
import { graphql } from './generated/gql.ts';

export const keyFields = graphql(`
  fragment CliKey on ApiKey {
    id teamId name description env prefix state allowedIps scopes externalId responsible tags metadata rateLimit { limit windowSeconds }
    expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt
    previousSigningSecretExpiresAt revokedAt revision
  }
`);

export const viewer = graphql(`
  query CliViewer { viewer { subject teams { id name permissions } } }
`);

export const readKey = graphql(`
  query CliReadKey($id: UUID!) { key(id: $id) { ...CliKey tripwire } }
`);

export const listKeys = graphql(`
  query CliListKeys($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes { ...CliKey }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const listKeyIds = graphql(`
  query CliListKeyIds($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
    keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      nodes { id }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const countKeys = graphql(`
  query CliCountKeys($teamId: UUID!, $filter: KeyFilter) {
    keys(teamId: $teamId, first: 1, filter: $filter) { totalCount }
  }
`);

export const createKey = graphql(`
  mutation CliCreateKey($input: CreateKeyInput!) {
    createKey(input: $input) { apiKey { ...CliKey } secret signingSecret }
  }
`);

export const putKey = graphql(`
  mutation CliPutKey($input: PutKeyInput!, $ifRevision: [ID!], $ifExists: Boolean) {
    putKey(input: $input, ifRevision: $ifRevision, ifExists: $ifExists) { apiKey { ...CliKey } created secret }
  }
`);

export const importKeys = graphql(`
  mutation CliImportKeys($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {
    importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {
      results { outcome apiKey { id prefix } policyViolations { field message rule } }
    }
  }
`);

export const exportAuditLog = graphql(`
  query CliExportAuditLog($teamId: UUID!, $first: Int!, $after: String) {
    auditLog(teamId: $teamId, first: $first, after: $after) {
      nodes {
        id action keyId keyName teamId actor actorKind source requestId at changes { field before after added removed }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const exportUsage = graphql(`
  query CliExportUsage($teamId: UUID!, $from: DateTime!, $to: DateTime!) {
    teamUsage(teamId: $teamId, from: $from, to: $to) { hour code count }
  }
`);

export const updateKey = graphql(`
  mutation CliUpdateKey($id: UUID!, $input: UpdateKeyInput!) {
    changed: updateKey(id: $id, input: $input) { apiKey { ...CliKey } }
  }
`);

export const rotateKey = graphql(`
  mutation CliRotateKey($id: UUID!, $overlapSeconds: Int!) {
    changed: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { apiKey { ...CliKey } secret }
  }
`);

export const endOverlap = graphql(`
  mutation CliEndOverlap($id: UUID!) { changed: endOverlap(id: $id) { apiKey { ...CliKey } } }
`);

export const disableKey = graphql(`
  mutation CliDisableKey($id: UUID!, $reason: String) {
    changed: disableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }
  }
`);

export const enableKey = graphql(`
  mutation CliEnableKey($id: UUID!, $reason: String) {
    changed: enableKey(id: $id, reason: $reason) { apiKey { ...CliKey } }
  }
`);

export const revokeKey = graphql(`
  mutation CliRevokeKey($id: UUID!) { changed: revokeKey(id: $id) { apiKey { ...CliKey } } }
`);

export const observedSources = graphql(`
  query CliObservedSources($keyId: UUID!) {
    observedSources(keyId: $keyId) { address secret firstAt lastAt counts { code count } }
    unlistedSources(keyId: $keyId) { lastAt }
  }
`);

export const enableSigning = graphql(`
  mutation CliEnableSigning($id: UUID!) { changed: enableSigning(id: $id) { apiKey { id } signingSecret } }
`);

export const rotateSigningSecret = graphql(`
  mutation CliRotateSigningSecret($id: UUID!, $overlapSeconds: Int!) {
    changed: rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { apiKey { id } signingSecret }
  }
`);

export const disableSigning = graphql(`
  mutation CliDisableSigning($id: UUID!) { changed: disableSigning(id: $id) { apiKey { ...CliKey } } }
`);

export const leakPolicy = graphql(`
  query CliLeakPolicy($teamId: UUID!) { policy: leakPolicy(teamId: $teamId) }
`);

export const setLeakPolicy = graphql(`
  mutation CliSetLeakPolicy($teamId: UUID!, $policy: LeakPolicyAction!) {
    changed: setLeakPolicy(teamId: $teamId, policy: $policy) { policy }
  }
`);

export const managementKeyFields = graphql(`
  fragment CliManagementKey on ManagementKey {
    id teamId name prefix permissions allowedIps expiresAt state signingEnabled createdAt createdBy rotatedAt
    previousPrefix previousSecretExpiresAt lastUsedAt revokedAt
  }
`);

export const readManagementKeys = graphql(`
  query CliManagementKeys($teamId: UUID!) { managementKeys(teamId: $teamId) { ...CliManagementKey } }
`);

export const createManagementKey = graphql(`
  mutation CliCreateManagementKey($input: CreateManagementKeyInput!) {
    issued: createManagementKey(input: $input) { managementKey { ...CliManagementKey } secret signingSecret }
  }
`);

export const rotateManagementKey = graphql(`
  mutation CliRotateManagementKey($id: UUID!, $overlapSeconds: Int!) {
    issued: rotateManagementKey(id: $id, overlapSeconds: $overlapSeconds) { managementKey { ...CliManagementKey } secret }
  }
`);

export const revokeManagementKey = graphql(`
  mutation CliRevokeManagementKey($id: UUID!) {
    revoked: revokeManagementKey(id: $id) { managementKey { ...CliManagementKey } }
  }
`);

export const trustRuleFields = graphql(`
  fragment CliTrustRule on TrustRule {
    id teamId name issuer audience claims permissions once createdAt createdBy lastUsedAt
  }
`);

export const readTrustRules = graphql(`
  query CliTrustRules($teamId: UUID!) { trustRules(teamId: $teamId) { ...CliTrustRule } }
`);

export const createTrustRule = graphql(`
  mutation CliCreateTrustRule($input: CreateTrustRuleInput!) {
    createTrustRule(input: $input) { trustRule { ...CliTrustRule } }
  }
`);

export const deleteTrustRule = graphql(`
  mutation CliDeleteTrustRule($id: UUID!) { deleteTrustRule(id: $id) { id } }
`);

export const memberFields = graphql(`
  fragment CliMember on Member { subject state seenAt leftAt keyCount }
`);

export const readMembers = graphql(`
  query CliMembers($teamId: UUID!, $state: [MemberState!], $first: Int!, $after: String) {
    members(teamId: $teamId, state: $state, first: $first, after: $after) {
      nodes { ...CliMember }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const removeMember = graphql(`
  mutation CliRemoveMember($teamId: UUID!, $subject: String!) {
    removeMember(teamId: $teamId, subject: $subject) { member { ...CliMember } }
  }
`);

export const importMembers = graphql(`
  mutation CliImportMembers($input: ImportMembersInput!) { importMembers(input: $input) { added left hasMore } }
`);

export const handOverKeys = graphql(`
  mutation CliHandOverKeys($teamId: UUID!, $from: String!, $to: String!) {
    handOverKeys(teamId: $teamId, from: $from, to: $to) { results { outcome apiKey { id name } } hasMore }
  }
`);

export const deliveryFields = graphql(`
  fragment CliDelivery on Delivery {
    eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt
  }
`);

export const webhookFields = graphql(`
  fragment CliWebhook on Webhook {
    id teamId url description types form signature publicKey createdAt disabledAt disabledReason previousSecretExpiresAt
  }
`);

export const readWebhooks = graphql(`
  query CliReadWebhooks($teamId: UUID!) { webhooks(teamId: $teamId) { ...CliWebhook lastDelivery { ...CliDelivery } } }
`);

export const createWebhook = graphql(`
  mutation CliCreateWebhook($input: CreateWebhookInput!) {
    issued: createWebhook(input: $input) { webhook { ...CliWebhook } secret }
  }
`);

export const updateWebhook = graphql(`
  mutation CliUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) { webhook { ...CliWebhook } }
  }
`);

export const deleteWebhook = graphql(`
  mutation CliDeleteWebhook($id: UUID!) { deleteWebhook(id: $id) { id } }
`);

export const rotateWebhookSecret = graphql(`
  mutation CliRotateWebhookSecret($id: UUID!, $overlapSeconds: Int!) {
    issued: rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { webhook { ...CliWebhook } secret }
  }
`);

export const sendTestEvent = graphql(`
  mutation CliSendTestEvent($id: UUID!) { sendTestEvent(id: $id) { delivery { ...CliDelivery } } }
`);

export const readDeliveries = graphql(`
  query CliReadDeliveries($webhookId: UUID!, $outcome: DeliveryOutcome, $first: Int!, $after: String) {
    deliveries(webhookId: $webhookId, outcome: $outcome, first: $first, after: $after) {
      nodes { ...CliDelivery }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const replayEvents = graphql(`
  mutation CliReplayEvents($webhookId: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime, $failed: Boolean!) {
    replayEvents(webhookId: $webhookId, eventIds: $eventIds, from: $from, to: $to, failed: $failed) { count }
  }
`);

export const readKeyPolicy = graphql(`
  query CliKeyPolicy($teamId: UUID!, $env: KeyEnv!) { keyPolicy(teamId: $teamId, env: $env) { ...CliPolicy } }
  fragment CliPolicy on KeyPolicy {
    maxLifetimeSeconds requireExpiry requireAllowedIps requireSigning maxSecretAgeSeconds
    scopes { name description } maxRateLimit { limit windowSeconds }
    defaults { lifetimeSeconds allowedIps scopes rateLimit { limit windowSeconds } } enforceAfter
  }
`);

export const setKeyPolicy = graphql(`
  mutation CliSetKeyPolicy($input: SetKeyPolicyInput!) { set: setKeyPolicy(input: $input) { policy { ...CliPolicy } } }
`);

export const readViolatingKeys = graphql(`
  query CliViolatingKeys($teamId: UUID!, $after: String) {
    keys(teamId: $teamId, first: 100, after: $after, filter: { state: [ACTIVE], violating: true }) {
      nodes { id prefix name env policyViolations { rule field message } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const fenceFields = graphql(`
  fragment CliFence on Fence {
    id teamId reason env tags externalId responsible createdBefore until createdAt createdBy
  }
`);

export const readFences = graphql(`
  query CliFences($teamId: UUID!) { fences(teamId: $teamId) { ...CliFence } }
`);

export const freezeKeys = graphql(`
  mutation CliFreezeKeys($input: FreezeKeysInput!) {
    freezeKeys(input: $input) { fence { ...CliFence } revision keys calls }
  }
`);

export const unfreezeKeys = graphql(`
  mutation CliUnfreezeKeys($id: UUID!) { unfreezeKeys(id: $id) { id } }
`);

export const readReceipt = graphql(`
  query CliReceipt($revision: ID!) { receipt(revision: $revision) { statement payload protected signature } }
`);

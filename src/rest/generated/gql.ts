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
    "\n  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) {\n      apiKey { id name env prefix revision }\n      secret\n      signingSecret\n    }\n  }\n": typeof types.RestCreateKeyDocument,
    "\n  query RestReadKey($id: UUID!) {\n    key(id: $id) {\n      id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit { limit windowSeconds }\n      expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n      previousSigningSecretExpiresAt secrets { current prefix expiresAt lastUsedAt } revokedAt revision\n    }\n  }\n": typeof types.RestReadKeyDocument,
    "\n  mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {\n      apiKey { id prefix previousSecretExpiresAt revision }\n      secret\n    }\n  }\n": typeof types.RestRotateKeyDocument,
    "\n  mutation RestEndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { id } }\n  }\n": typeof types.RestEndOverlapDocument,
    "\n  mutation RestDisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": typeof types.RestDisableKeyDocument,
    "\n  mutation RestEnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": typeof types.RestEnableKeyDocument,
    "\n  query RestListKeys(\n    $teamId: UUID!, $limit: Int!, $cursor: String, $externalId: String, $tag: [String!], $state: [KeyState!]\n  ) {\n    keys(\n      teamId: $teamId, first: $limit, after: $cursor, filter: { externalId: $externalId, tags: $tag, state: $state }\n    ) {\n      nodes { id name env prefix lastUsedAt createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.RestListKeysDocument,
    "\n  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {\n      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }\n    }\n  }\n": typeof types.RestUpdateKeyDocument,
    "\n  mutation RestRevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { id } }\n  }\n": typeof types.RestRevokeKeyDocument,
    "\n  mutation RestEnableSigning($id: UUID!) {\n    enableSigning(id: $id) { signingSecret }\n  }\n": typeof types.RestEnableSigningDocument,
    "\n  mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { signingSecret }\n  }\n": typeof types.RestRotateSigningSecretDocument,
    "\n  mutation RestDisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { id } }\n  }\n": typeof types.RestDisableSigningDocument,
    "\n  mutation RestCreateWebhook($input: CreateWebhookInput!) {\n    createWebhook(input: $input) {\n      webhook { id url types }\n      secret\n    }\n  }\n": typeof types.RestCreateWebhookDocument,
    "\n  query RestListWebhooks($teamId: UUID!) {\n    webhooks(teamId: $teamId) { id url types description form signature createdAt disabledAt disabledReason }\n  }\n": typeof types.RestListWebhooksDocument,
    "\n  mutation RestUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {\n    updateWebhook(id: $id, input: $input) {\n      webhook { id url types description form signature createdAt disabledAt disabledReason }\n    }\n  }\n": typeof types.RestUpdateWebhookDocument,
    "\n  mutation RestDeleteWebhook($id: UUID!) {\n    deleteWebhook(id: $id) { id }\n  }\n": typeof types.RestDeleteWebhookDocument,
    "\n  mutation RestRotateWebhookSecret($id: UUID!, $overlapSeconds: Int! = 86400) {\n    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { secret }\n  }\n": typeof types.RestRotateWebhookSecretDocument,
    "\n  mutation RestSendTestEvent($id: UUID!) {\n    sendTestEvent(id: $id) {\n      delivery { outcome status durationMs responseBody error }\n    }\n  }\n": typeof types.RestSendTestEventDocument,
    "\n  mutation RestReplayEvents($id: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime) {\n    replayEvents(webhookId: $id, eventIds: $eventIds, from: $from, to: $to) { count }\n  }\n": typeof types.RestReplayEventsDocument,
    "\n  query RestListDeliveries($id: UUID!, $outcome: DeliveryOutcome, $limit: Int!, $cursor: String) {\n    deliveries(webhookId: $id, outcome: $outcome, first: $limit, after: $cursor) {\n      nodes {\n        eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.RestListDeliveriesDocument,
    "\n  query RestListEvents($teamId: UUID!, $after: ID, $types: [String!], $limit: Int!) {\n    events(teamId: $teamId, after: $after, types: $types, first: $limit) {\n      events { id type timestamp data }\n      next\n    }\n  }\n": typeof types.RestListEventsDocument,
};
const documents: Documents = {
    "\n  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) {\n      apiKey { id name env prefix revision }\n      secret\n      signingSecret\n    }\n  }\n": types.RestCreateKeyDocument,
    "\n  query RestReadKey($id: UUID!) {\n    key(id: $id) {\n      id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit { limit windowSeconds }\n      expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n      previousSigningSecretExpiresAt secrets { current prefix expiresAt lastUsedAt } revokedAt revision\n    }\n  }\n": types.RestReadKeyDocument,
    "\n  mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {\n      apiKey { id prefix previousSecretExpiresAt revision }\n      secret\n    }\n  }\n": types.RestRotateKeyDocument,
    "\n  mutation RestEndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { id } }\n  }\n": types.RestEndOverlapDocument,
    "\n  mutation RestDisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": types.RestDisableKeyDocument,
    "\n  mutation RestEnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n": types.RestEnableKeyDocument,
    "\n  query RestListKeys(\n    $teamId: UUID!, $limit: Int!, $cursor: String, $externalId: String, $tag: [String!], $state: [KeyState!]\n  ) {\n    keys(\n      teamId: $teamId, first: $limit, after: $cursor, filter: { externalId: $externalId, tags: $tag, state: $state }\n    ) {\n      nodes { id name env prefix lastUsedAt createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.RestListKeysDocument,
    "\n  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {\n      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }\n    }\n  }\n": types.RestUpdateKeyDocument,
    "\n  mutation RestRevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { id } }\n  }\n": types.RestRevokeKeyDocument,
    "\n  mutation RestEnableSigning($id: UUID!) {\n    enableSigning(id: $id) { signingSecret }\n  }\n": types.RestEnableSigningDocument,
    "\n  mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { signingSecret }\n  }\n": types.RestRotateSigningSecretDocument,
    "\n  mutation RestDisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { id } }\n  }\n": types.RestDisableSigningDocument,
    "\n  mutation RestCreateWebhook($input: CreateWebhookInput!) {\n    createWebhook(input: $input) {\n      webhook { id url types }\n      secret\n    }\n  }\n": types.RestCreateWebhookDocument,
    "\n  query RestListWebhooks($teamId: UUID!) {\n    webhooks(teamId: $teamId) { id url types description form signature createdAt disabledAt disabledReason }\n  }\n": types.RestListWebhooksDocument,
    "\n  mutation RestUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {\n    updateWebhook(id: $id, input: $input) {\n      webhook { id url types description form signature createdAt disabledAt disabledReason }\n    }\n  }\n": types.RestUpdateWebhookDocument,
    "\n  mutation RestDeleteWebhook($id: UUID!) {\n    deleteWebhook(id: $id) { id }\n  }\n": types.RestDeleteWebhookDocument,
    "\n  mutation RestRotateWebhookSecret($id: UUID!, $overlapSeconds: Int! = 86400) {\n    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { secret }\n  }\n": types.RestRotateWebhookSecretDocument,
    "\n  mutation RestSendTestEvent($id: UUID!) {\n    sendTestEvent(id: $id) {\n      delivery { outcome status durationMs responseBody error }\n    }\n  }\n": types.RestSendTestEventDocument,
    "\n  mutation RestReplayEvents($id: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime) {\n    replayEvents(webhookId: $id, eventIds: $eventIds, from: $from, to: $to) { count }\n  }\n": types.RestReplayEventsDocument,
    "\n  query RestListDeliveries($id: UUID!, $outcome: DeliveryOutcome, $limit: Int!, $cursor: String) {\n    deliveries(webhookId: $id, outcome: $outcome, first: $limit, after: $cursor) {\n      nodes {\n        eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.RestListDeliveriesDocument,
    "\n  query RestListEvents($teamId: UUID!, $after: ID, $types: [String!], $limit: Int!) {\n    events(teamId: $teamId, after: $after, types: $types, first: $limit) {\n      events { id type timestamp data }\n      next\n    }\n  }\n": types.RestListEventsDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {\n    createKey(input: $input, idempotencyKey: $idempotencyKey) {\n      apiKey { id name env prefix revision }\n      secret\n      signingSecret\n    }\n  }\n"): typeof import('./graphql.ts').RestCreateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RestReadKey($id: UUID!) {\n    key(id: $id) {\n      id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit { limit windowSeconds }\n      expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt\n      previousSigningSecretExpiresAt secrets { current prefix expiresAt lastUsedAt } revokedAt revision\n    }\n  }\n"): typeof import('./graphql.ts').RestReadKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {\n    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {\n      apiKey { id prefix previousSecretExpiresAt revision }\n      secret\n    }\n  }\n"): typeof import('./graphql.ts').RestRotateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestEndOverlap($id: UUID!) {\n    endOverlap(id: $id) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestEndOverlapDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestDisableKey($id: UUID!, $reason: String) {\n    disableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestDisableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestEnableKey($id: UUID!, $reason: String) {\n    enableKey(id: $id, reason: $reason) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestEnableKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RestListKeys(\n    $teamId: UUID!, $limit: Int!, $cursor: String, $externalId: String, $tag: [String!], $state: [KeyState!]\n  ) {\n    keys(\n      teamId: $teamId, first: $limit, after: $cursor, filter: { externalId: $externalId, tags: $tag, state: $state }\n    ) {\n      nodes { id name env prefix lastUsedAt createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').RestListKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {\n    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {\n      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }\n    }\n  }\n"): typeof import('./graphql.ts').RestUpdateKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestRevokeKey($id: UUID!) {\n    revokeKey(id: $id) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestRevokeKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestEnableSigning($id: UUID!) {\n    enableSigning(id: $id) { signingSecret }\n  }\n"): typeof import('./graphql.ts').RestEnableSigningDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {\n    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { signingSecret }\n  }\n"): typeof import('./graphql.ts').RestRotateSigningSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestDisableSigning($id: UUID!) {\n    disableSigning(id: $id) { apiKey { id } }\n  }\n"): typeof import('./graphql.ts').RestDisableSigningDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestCreateWebhook($input: CreateWebhookInput!) {\n    createWebhook(input: $input) {\n      webhook { id url types }\n      secret\n    }\n  }\n"): typeof import('./graphql.ts').RestCreateWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RestListWebhooks($teamId: UUID!) {\n    webhooks(teamId: $teamId) { id url types description form signature createdAt disabledAt disabledReason }\n  }\n"): typeof import('./graphql.ts').RestListWebhooksDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {\n    updateWebhook(id: $id, input: $input) {\n      webhook { id url types description form signature createdAt disabledAt disabledReason }\n    }\n  }\n"): typeof import('./graphql.ts').RestUpdateWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestDeleteWebhook($id: UUID!) {\n    deleteWebhook(id: $id) { id }\n  }\n"): typeof import('./graphql.ts').RestDeleteWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestRotateWebhookSecret($id: UUID!, $overlapSeconds: Int! = 86400) {\n    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { secret }\n  }\n"): typeof import('./graphql.ts').RestRotateWebhookSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestSendTestEvent($id: UUID!) {\n    sendTestEvent(id: $id) {\n      delivery { outcome status durationMs responseBody error }\n    }\n  }\n"): typeof import('./graphql.ts').RestSendTestEventDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestReplayEvents($id: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime) {\n    replayEvents(webhookId: $id, eventIds: $eventIds, from: $from, to: $to) { count }\n  }\n"): typeof import('./graphql.ts').RestReplayEventsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RestListDeliveries($id: UUID!, $outcome: DeliveryOutcome, $limit: Int!, $cursor: String) {\n    deliveries(webhookId: $id, outcome: $outcome, first: $limit, after: $cursor) {\n      nodes {\n        eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.ts').RestListDeliveriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RestListEvents($teamId: UUID!, $after: ID, $types: [String!], $limit: Int!) {\n    events(teamId: $teamId, after: $after, types: $types, first: $limit) {\n      events { id type timestamp data }\n      next\n    }\n  }\n"): typeof import('./graphql.ts').RestListEventsDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

/** The GraphQL operations behind the REST routes. Each selects exactly the fields that its route responds with. */
import { graphql } from './generated/gql.ts';

export const createKey = graphql(`
  mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {
    createKey(input: $input, idempotencyKey: $idempotencyKey) {
      apiKey { id name env prefix revision }
      secret
      signingSecret
    }
  }
`);

export const readKey = graphql(`
  query RestReadKey($id: UUID!) {
    key(id: $id) {
      id teamId name description env prefix state allowedIps scopes externalId tags metadata rateLimit { limit windowSeconds }
      expiresAt signingEnabled lastUsedAt createdAt disabledAt rotatedAt previousPrefix previousSecretExpiresAt
      previousSigningSecretExpiresAt secrets { current prefix expiresAt lastUsedAt } revokedAt revision
    }
  }
`);

export const rotateKey = graphql(`
  mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {
    rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {
      apiKey { id prefix previousSecretExpiresAt revision }
      secret
    }
  }
`);

export const endOverlap = graphql(`
  mutation RestEndOverlap($id: UUID!) {
    endOverlap(id: $id) { apiKey { id } }
  }
`);

export const disableKey = graphql(`
  mutation RestDisableKey($id: UUID!, $reason: String) {
    disableKey(id: $id, reason: $reason) { apiKey { id } }
  }
`);

export const enableKey = graphql(`
  mutation RestEnableKey($id: UUID!, $reason: String) {
    enableKey(id: $id, reason: $reason) { apiKey { id } }
  }
`);

export const listKeys = graphql(`
  query RestListKeys(
    $teamId: UUID!, $limit: Int!, $cursor: String, $externalId: String, $tag: [String!], $state: [KeyState!]
  ) {
    keys(
      teamId: $teamId, first: $limit, after: $cursor, filter: { externalId: $externalId, tags: $tag, state: $state }
    ) {
      nodes { id name env prefix lastUsedAt createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const updateKey = graphql(`
  mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {
    updateKey(id: $id, input: $input, ifRevision: $ifRevision) {
      apiKey { id name env prefix allowedIps expiresAt lastUsedAt createdAt revision }
    }
  }
`);

export const revokeKey = graphql(`
  mutation RestRevokeKey($id: UUID!) {
    revokeKey(id: $id) { apiKey { id } }
  }
`);

export const enableSigning = graphql(`
  mutation RestEnableSigning($id: UUID!) {
    enableSigning(id: $id) { signingSecret }
  }
`);

export const rotateSigningSecret = graphql(`
  mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {
    rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) { signingSecret }
  }
`);

export const disableSigning = graphql(`
  mutation RestDisableSigning($id: UUID!) {
    disableSigning(id: $id) { apiKey { id } }
  }
`);

export const createWebhook = graphql(`
  mutation RestCreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) {
      webhook { id url types }
      secret
    }
  }
`);

export const listWebhooks = graphql(`
  query RestListWebhooks($teamId: UUID!) {
    webhooks(teamId: $teamId) { id url types description form signature createdAt disabledAt disabledReason }
  }
`);

export const updateWebhook = graphql(`
  mutation RestUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) {
      webhook { id url types description form signature createdAt disabledAt disabledReason }
    }
  }
`);

export const deleteWebhook = graphql(`
  mutation RestDeleteWebhook($id: UUID!) {
    deleteWebhook(id: $id) { id }
  }
`);

export const rotateWebhookSecret = graphql(`
  mutation RestRotateWebhookSecret($id: UUID!, $overlapSeconds: Int! = 86400) {
    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { secret }
  }
`);

export const sendTestEvent = graphql(`
  mutation RestSendTestEvent($id: UUID!) {
    sendTestEvent(id: $id) {
      delivery { outcome status durationMs responseBody error }
    }
  }
`);

export const replayEvents = graphql(`
  mutation RestReplayEvents($id: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime) {
    replayEvents(webhookId: $id, eventIds: $eventIds, from: $from, to: $to) { count }
  }
`);

export const listDeliveries = graphql(`
  query RestListDeliveries($id: UUID!, $outcome: DeliveryOutcome, $limit: Int!, $cursor: String) {
    deliveries(webhookId: $id, outcome: $outcome, first: $limit, after: $cursor) {
      nodes {
        eventId type keyId outcome attempts status error durationMs responseBody createdAt attemptedAt nextAttemptAt
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const listEvents = graphql(`
  query RestListEvents($teamId: UUID!, $after: ID, $types: [String!], $limit: Int!) {
    events(teamId: $teamId, after: $after, types: $types, first: $limit) {
      events { id type timestamp data }
      next
    }
  }
`);

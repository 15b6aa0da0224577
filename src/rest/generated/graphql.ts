/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A key to create. */
export type CreateKeyInput = {
  /** The only sources that can use the key, as in `UpdateKeyInput`. Absent, null or empty: every source can. */
  allowedIps?: Array<string> | null | undefined;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. */
  description?: string | null | undefined;
  /** The environment to restrict the key to. */
  env: KeyEnv;
  /** When the key stops working: in the future, before the year 10000. Absent or null: never. */
  expiresAt?: string | null | undefined;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. */
  externalId?: string | null | undefined;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep. */
  metadata?: unknown;
  /** A label for people: 1 to 100 characters after trimming, none of them invisible. */
  name: string;
  /** The rate limit. Absent or null: none. */
  rateLimit?: RateLimitInput | null | undefined;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. */
  scopes?: Array<string> | null | undefined;
  /** If true, requests with the key must be signed, and the result has the signing secret. */
  signing?: boolean;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. */
  tags?: Array<string> | null | undefined;
  /** The team that owns the key. */
  teamId: string;
};

/** An endpoint to add. */
export type CreateWebhookInput = {
  /** A text for people, 1 to 500 characters. */
  description?: string | null | undefined;
  /** How events are written. */
  form?: EventForm;
  /** How requests are signed. It cannot be changed. */
  signature?: WebhookSignature;
  /** The team whose events it gets. */
  teamId: string;
  /** The types of events, such as `key.created`. Absent or empty: all types. */
  types?: Array<string> | null | undefined;
  /** Where to send the events: an https URL with port 443 or a port above 1023, without credentials, at most 2,000 characters. The operator can allow networks for which http and private addresses are accepted too. */
  url: string;
};

/** What became of an event at an endpoint. */
export type DeliveryOutcome =
  /** The endpoint answered with a status from 200 to 299. */
  | 'DELIVERED'
  /** The last attempt failed. */
  | 'FAILED'
  /** It will be attempted, or attempted again. */
  | 'PENDING';

/** How events are written in the requests to an endpoint. */
export type EventForm =
  /** CloudEvents 1.0, in structured mode. */
  | 'CLOUDEVENTS'
  /** Open Cybersecurity Schema Framework: API Activity. */
  | 'OCSF'
  /** The event as `events` returns it (Standard Webhooks). */
  | 'STANDARD';

/** The environment that a key is restricted to. It is set at creation and never changes. */
export type KeyEnv =
  /** Keys for production traffic. */
  | 'live'
  /** Keys for testing. */
  | 'test';

/** The state of a key. A revoked key is `REVOKED` and another disabled one `DISABLED`, whether or not it has expired. */
export type KeyState =
  /** Usable: neither revoked, nor disabled, nor expired. */
  | 'ACTIVE'
  /** Disabled. It is rejected until `enableKey` enables it. */
  | 'DISABLED'
  /** Past its `expiresAt`. It is rejected, but still listed, and `updateKey` can renew it. */
  | 'EXPIRED'
  /** Revoked permanently. It can be neither changed nor restored. */
  | 'REVOKED';

/** The rate limit of a key. */
export type RateLimitInput = {
  /** The number of accepted requests in each window: 1 to 1,000,000. */
  limit: number;
  /** The length of a window in seconds: 1 to 86,400 (1 day). */
  windowSeconds: number;
};

/** The fields of a key to change. An absent field stays as it is. So does a field that repeats its value, although it may be no longer allowed, such as an expiry in the past. */
export type UpdateKeyInput = {
  /** The new list of allowed sources, which replaces the whole existing one: at most 100 entries of at most 255 characters. Each is an IP address, a CIDR range or one of at most 16 host names, optionally followed by `# a comment`. Spaces around an entry are removed. If several entries name one source, such as `10.0.0.1` and `10.0.0.1/32`, the first with a comment stays. Names of /etc/hosts, such as `localhost`, are rejected. `[]` allows every source. Not null. */
  allowedIps?: Array<string> | null | undefined;
  /** A text for people, such as where the key is used: 1 to 500 characters after trimming, none of them invisible. Null removes it. */
  description?: string | null | undefined;
  /** The new expiry: in the future, before the year 10000. Null removes it. */
  expiresAt?: string | null | undefined;
  /** The customer or service that the key belongs to: 1 to 255 characters after trimming, none of them invisible. Null removes it. */
  externalId?: string | null | undefined;
  /** A JSON object of at most 4,096 bytes, nested at most 8 levels deep, which replaces the existing one. Null removes it. */
  metadata?: unknown;
  /** The new label: 1 to 100 characters after trimming, none of them invisible. Not null. */
  name?: string | null | undefined;
  /** The rate limit. Null removes it. */
  rateLimit?: RateLimitInput | null | undefined;
  /** The scopes of the key: at most 50 different ones of 1 to 100 characters, each a scope-token of RFC 6749, section 3.3. They replace all existing ones. Not null. */
  scopes?: Array<string> | null | undefined;
  /** At most 20 different labels of 1 to 64 characters after trimming, none of them invisible. They replace all existing ones. Not null. */
  tags?: Array<string> | null | undefined;
};

/** The fields of an endpoint to change. */
export type UpdateWebhookInput = {
  /** A text for people; null removes it. */
  description?: string | null | undefined;
  /** False disables the endpoint. True enables it, and attempts what it missed. Not null. */
  enabled?: boolean | null | undefined;
  /** How events are written. Not null. */
  form?: EventForm | null | undefined;
  /** The types of events, which replace the earlier ones; empty: all types. Not null. */
  types?: Array<string> | null | undefined;
  /** Where to send the events, as in `createWebhook`. Not null. */
  url?: string | null | undefined;
};

/** Why an endpoint is disabled. */
export type WebhookDisabledReason =
  /** The last attempt to deliver an event failed. */
  | 'FAILING'
  /** It answered 410. */
  | 'GONE'
  /** `updateWebhook` with `enabled: false`. */
  | 'MANUAL';

/** How requests to an endpoint are signed (Standard Webhooks). */
export type WebhookSignature =
  /** HMAC-SHA-256 with a shared secret, which begins with `whsec_`. */
  | 'V1'
  /** Ed25519. The receiver has the public key, which begins with `whpk_`. */
  | 'V1A';

export type RestCreateKeyMutationVariables = Exact<{
  input: CreateKeyInput;
  idempotencyKey?: string | null | undefined;
}>;


export type RestCreateKeyMutation = { createKey: { secret: string, signingSecret: string | null, apiKey: { id: string, name: string, env: KeyEnv, prefix: string, revision: string } } };

export type RestReadKeyQueryVariables = Exact<{
  id: string;
}>;


export type RestReadKeyQuery = { key: { id: string, teamId: string, name: string, description: string | null, env: KeyEnv, prefix: string, state: KeyState, allowedIps: Array<string>, scopes: Array<string>, externalId: string | null, tags: Array<string>, metadata: unknown, expiresAt: string | null, signingEnabled: boolean, lastUsedAt: string | null, createdAt: string, disabledAt: string | null, rotatedAt: string | null, previousPrefix: string | null, previousSecretExpiresAt: string | null, previousSigningSecretExpiresAt: string | null, revokedAt: string | null, revision: string, rateLimit: { limit: number, windowSeconds: number } | null, secrets: Array<{ current: boolean, prefix: string, expiresAt: string | null, lastUsedAt: string | null }> } };

export type RestRotateKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds?: number;
  ifRevision?: Array<string | number> | string | number | null | undefined;
}>;


export type RestRotateKeyMutation = { rotateKey: { secret: string, apiKey: { id: string, prefix: string, previousSecretExpiresAt: string | null, revision: string } } };

export type RestEndOverlapMutationVariables = Exact<{
  id: string;
}>;


export type RestEndOverlapMutation = { endOverlap: { apiKey: { id: string } } };

export type RestDisableKeyMutationVariables = Exact<{
  id: string;
  reason?: string | null | undefined;
}>;


export type RestDisableKeyMutation = { disableKey: { apiKey: { id: string } } };

export type RestEnableKeyMutationVariables = Exact<{
  id: string;
  reason?: string | null | undefined;
}>;


export type RestEnableKeyMutation = { enableKey: { apiKey: { id: string } } };

export type RestListKeysQueryVariables = Exact<{
  teamId: string;
  limit: number;
  cursor?: string | null | undefined;
  externalId?: string | null | undefined;
  tag?: Array<string> | string | null | undefined;
  state?: Array<KeyState> | KeyState | null | undefined;
}>;


export type RestListKeysQuery = { keys: { nodes: Array<{ id: string, name: string, env: KeyEnv, prefix: string, lastUsedAt: string | null, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RestUpdateKeyMutationVariables = Exact<{
  id: string;
  input: UpdateKeyInput;
  ifRevision?: Array<string | number> | string | number | null | undefined;
}>;


export type RestUpdateKeyMutation = { updateKey: { apiKey: { id: string, name: string, env: KeyEnv, prefix: string, allowedIps: Array<string>, expiresAt: string | null, lastUsedAt: string | null, createdAt: string, revision: string } } };

export type RestRevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type RestRevokeKeyMutation = { revokeKey: { apiKey: { id: string } } };

export type RestEnableSigningMutationVariables = Exact<{
  id: string;
}>;


export type RestEnableSigningMutation = { enableSigning: { signingSecret: string } };

export type RestRotateSigningSecretMutationVariables = Exact<{
  id: string;
  overlapSeconds?: number;
}>;


export type RestRotateSigningSecretMutation = { rotateSigningSecret: { signingSecret: string } };

export type RestDisableSigningMutationVariables = Exact<{
  id: string;
}>;


export type RestDisableSigningMutation = { disableSigning: { apiKey: { id: string } } };

export type RestCreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type RestCreateWebhookMutation = { createWebhook: { secret: string, webhook: { id: string, url: string, types: Array<string> } } };

export type RestListWebhooksQueryVariables = Exact<{
  teamId: string;
}>;


export type RestListWebhooksQuery = { webhooks: Array<{ id: string, url: string, types: Array<string>, description: string | null, form: EventForm, signature: WebhookSignature, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null }> };

export type RestUpdateWebhookMutationVariables = Exact<{
  id: string;
  input: UpdateWebhookInput;
}>;


export type RestUpdateWebhookMutation = { updateWebhook: { webhook: { id: string, url: string, types: Array<string>, description: string | null, form: EventForm, signature: WebhookSignature, createdAt: string, disabledAt: string | null, disabledReason: WebhookDisabledReason | null } } };

export type RestDeleteWebhookMutationVariables = Exact<{
  id: string;
}>;


export type RestDeleteWebhookMutation = { deleteWebhook: { id: string } };

export type RestRotateWebhookSecretMutationVariables = Exact<{
  id: string;
  overlapSeconds?: number;
}>;


export type RestRotateWebhookSecretMutation = { rotateWebhookSecret: { secret: string } };

export type RestSendTestEventMutationVariables = Exact<{
  id: string;
}>;


export type RestSendTestEventMutation = { sendTestEvent: { delivery: { outcome: DeliveryOutcome, status: number | null, durationMs: number | null, responseBody: string | null, error: string | null } } };

export type RestReplayEventsMutationVariables = Exact<{
  id: string;
  eventIds?: Array<string | number> | string | number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
}>;


export type RestReplayEventsMutation = { replayEvents: { count: number } };

export type RestListDeliveriesQueryVariables = Exact<{
  id: string;
  outcome?: DeliveryOutcome | null | undefined;
  limit: number;
  cursor?: string | null | undefined;
}>;


export type RestListDeliveriesQuery = { deliveries: { nodes: Array<{ eventId: string, type: string, keyId: string, outcome: DeliveryOutcome, attempts: number, status: number | null, error: string | null, durationMs: number | null, responseBody: string | null, createdAt: string, attemptedAt: string | null, nextAttemptAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RestListEventsQueryVariables = Exact<{
  teamId: string;
  after?: string | number | null | undefined;
  types?: Array<string> | string | null | undefined;
  limit: number;
}>;


export type RestListEventsQuery = { events: { next: string, events: Array<{ id: string, type: string, timestamp: string, data: unknown }> } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const RestCreateKeyDocument = new TypedDocumentString(`
    mutation RestCreateKey($input: CreateKeyInput!, $idempotencyKey: String) {
  createKey(input: $input, idempotencyKey: $idempotencyKey) {
    apiKey {
      id
      name
      env
      prefix
      revision
    }
    secret
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<RestCreateKeyMutation, RestCreateKeyMutationVariables>;
export const RestReadKeyDocument = new TypedDocumentString(`
    query RestReadKey($id: UUID!) {
  key(id: $id) {
    id
    teamId
    name
    description
    env
    prefix
    state
    allowedIps
    scopes
    externalId
    tags
    metadata
    rateLimit {
      limit
      windowSeconds
    }
    expiresAt
    signingEnabled
    lastUsedAt
    createdAt
    disabledAt
    rotatedAt
    previousPrefix
    previousSecretExpiresAt
    previousSigningSecretExpiresAt
    secrets {
      current
      prefix
      expiresAt
      lastUsedAt
    }
    revokedAt
    revision
  }
}
    `) as unknown as TypedDocumentString<RestReadKeyQuery, RestReadKeyQueryVariables>;
export const RestRotateKeyDocument = new TypedDocumentString(`
    mutation RestRotateKey($id: UUID!, $overlapSeconds: Int! = 0, $ifRevision: [ID!]) {
  rotateKey(id: $id, overlapSeconds: $overlapSeconds, ifRevision: $ifRevision) {
    apiKey {
      id
      prefix
      previousSecretExpiresAt
      revision
    }
    secret
  }
}
    `) as unknown as TypedDocumentString<RestRotateKeyMutation, RestRotateKeyMutationVariables>;
export const RestEndOverlapDocument = new TypedDocumentString(`
    mutation RestEndOverlap($id: UUID!) {
  endOverlap(id: $id) {
    apiKey {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RestEndOverlapMutation, RestEndOverlapMutationVariables>;
export const RestDisableKeyDocument = new TypedDocumentString(`
    mutation RestDisableKey($id: UUID!, $reason: String) {
  disableKey(id: $id, reason: $reason) {
    apiKey {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RestDisableKeyMutation, RestDisableKeyMutationVariables>;
export const RestEnableKeyDocument = new TypedDocumentString(`
    mutation RestEnableKey($id: UUID!, $reason: String) {
  enableKey(id: $id, reason: $reason) {
    apiKey {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RestEnableKeyMutation, RestEnableKeyMutationVariables>;
export const RestListKeysDocument = new TypedDocumentString(`
    query RestListKeys($teamId: UUID!, $limit: Int!, $cursor: String, $externalId: String, $tag: [String!], $state: [KeyState!]) {
  keys(
    teamId: $teamId
    first: $limit
    after: $cursor
    filter: {externalId: $externalId, tags: $tag, state: $state}
  ) {
    nodes {
      id
      name
      env
      prefix
      lastUsedAt
      createdAt
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<RestListKeysQuery, RestListKeysQueryVariables>;
export const RestUpdateKeyDocument = new TypedDocumentString(`
    mutation RestUpdateKey($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {
  updateKey(id: $id, input: $input, ifRevision: $ifRevision) {
    apiKey {
      id
      name
      env
      prefix
      allowedIps
      expiresAt
      lastUsedAt
      createdAt
      revision
    }
  }
}
    `) as unknown as TypedDocumentString<RestUpdateKeyMutation, RestUpdateKeyMutationVariables>;
export const RestRevokeKeyDocument = new TypedDocumentString(`
    mutation RestRevokeKey($id: UUID!) {
  revokeKey(id: $id) {
    apiKey {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RestRevokeKeyMutation, RestRevokeKeyMutationVariables>;
export const RestEnableSigningDocument = new TypedDocumentString(`
    mutation RestEnableSigning($id: UUID!) {
  enableSigning(id: $id) {
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<RestEnableSigningMutation, RestEnableSigningMutationVariables>;
export const RestRotateSigningSecretDocument = new TypedDocumentString(`
    mutation RestRotateSigningSecret($id: UUID!, $overlapSeconds: Int! = 0) {
  rotateSigningSecret(id: $id, overlapSeconds: $overlapSeconds) {
    signingSecret
  }
}
    `) as unknown as TypedDocumentString<RestRotateSigningSecretMutation, RestRotateSigningSecretMutationVariables>;
export const RestDisableSigningDocument = new TypedDocumentString(`
    mutation RestDisableSigning($id: UUID!) {
  disableSigning(id: $id) {
    apiKey {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RestDisableSigningMutation, RestDisableSigningMutationVariables>;
export const RestCreateWebhookDocument = new TypedDocumentString(`
    mutation RestCreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    webhook {
      id
      url
      types
    }
    secret
  }
}
    `) as unknown as TypedDocumentString<RestCreateWebhookMutation, RestCreateWebhookMutationVariables>;
export const RestListWebhooksDocument = new TypedDocumentString(`
    query RestListWebhooks($teamId: UUID!) {
  webhooks(teamId: $teamId) {
    id
    url
    types
    description
    form
    signature
    createdAt
    disabledAt
    disabledReason
  }
}
    `) as unknown as TypedDocumentString<RestListWebhooksQuery, RestListWebhooksQueryVariables>;
export const RestUpdateWebhookDocument = new TypedDocumentString(`
    mutation RestUpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) {
    webhook {
      id
      url
      types
      description
      form
      signature
      createdAt
      disabledAt
      disabledReason
    }
  }
}
    `) as unknown as TypedDocumentString<RestUpdateWebhookMutation, RestUpdateWebhookMutationVariables>;
export const RestDeleteWebhookDocument = new TypedDocumentString(`
    mutation RestDeleteWebhook($id: UUID!) {
  deleteWebhook(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RestDeleteWebhookMutation, RestDeleteWebhookMutationVariables>;
export const RestRotateWebhookSecretDocument = new TypedDocumentString(`
    mutation RestRotateWebhookSecret($id: UUID!, $overlapSeconds: Int! = 86400) {
  rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {
    secret
  }
}
    `) as unknown as TypedDocumentString<RestRotateWebhookSecretMutation, RestRotateWebhookSecretMutationVariables>;
export const RestSendTestEventDocument = new TypedDocumentString(`
    mutation RestSendTestEvent($id: UUID!) {
  sendTestEvent(id: $id) {
    delivery {
      outcome
      status
      durationMs
      responseBody
      error
    }
  }
}
    `) as unknown as TypedDocumentString<RestSendTestEventMutation, RestSendTestEventMutationVariables>;
export const RestReplayEventsDocument = new TypedDocumentString(`
    mutation RestReplayEvents($id: UUID!, $eventIds: [ID!], $from: DateTime, $to: DateTime) {
  replayEvents(webhookId: $id, eventIds: $eventIds, from: $from, to: $to) {
    count
  }
}
    `) as unknown as TypedDocumentString<RestReplayEventsMutation, RestReplayEventsMutationVariables>;
export const RestListDeliveriesDocument = new TypedDocumentString(`
    query RestListDeliveries($id: UUID!, $outcome: DeliveryOutcome, $limit: Int!, $cursor: String) {
  deliveries(webhookId: $id, outcome: $outcome, first: $limit, after: $cursor) {
    nodes {
      eventId
      type
      keyId
      outcome
      attempts
      status
      error
      durationMs
      responseBody
      createdAt
      attemptedAt
      nextAttemptAt
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<RestListDeliveriesQuery, RestListDeliveriesQueryVariables>;
export const RestListEventsDocument = new TypedDocumentString(`
    query RestListEvents($teamId: UUID!, $after: ID, $types: [String!], $limit: Int!) {
  events(teamId: $teamId, after: $after, types: $types, first: $limit) {
    events {
      id
      type
      timestamp
      data
    }
    next
  }
}
    `) as unknown as TypedDocumentString<RestListEventsQuery, RestListEventsQueryVariables>;
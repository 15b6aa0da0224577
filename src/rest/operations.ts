/** The GraphQL operations behind the REST routes. Each selects exactly the fields that its route responds with. */
import { mutation, query } from './rest-operation.ts';

export const createKey = mutation('createKey', [
  { apiKey: ['id', 'name', 'env', 'prefix', 'revision'] },
  'secret',
  'signingSecret',
]);

const wholeKey = [
  'id',
  'teamId',
  'name',
  'description',
  'env',
  'prefix',
  'state',
  'allowedIps',
  'expiresAt',
  'signingEnabled',
  'lastUsedAt',
  'scopes',
  'externalId',
  'responsible',
  'tags',
  'metadata',
  { rateLimit: ['limit', 'windowSeconds'] },
  'createdAt',
  'disabledAt',
  'rotatedAt',
  'previousPrefix',
  'previousSecretExpiresAt',
  'previousSigningSecretExpiresAt',
  { secrets: ['current', 'prefix', 'expiresAt', 'lastUsedAt'] },
  'revokedAt',
] as const;
const keyWithRevision = [...wholeKey, 'revision'] as const;

export const readKey = query('key', keyWithRevision);
export const readNamedKey = query('keyByExternalId', keyWithRevision);
export const putKey = mutation('putKey', [{ apiKey: keyWithRevision }, 'created', 'secret']);
export const revokeNamedKey = mutation('revokeKeyByExternalId', [{ apiKey: ['id'] }]);

export const rotateKey = mutation('rotateKey', [
  { apiKey: ['id', 'prefix', 'previousSecretExpiresAt', 'revision'] },
  'secret',
]);

export const endOverlap = mutation('endOverlap', [{ apiKey: ['id'] }]);
export const disableKey = mutation('disableKey', [{ apiKey: ['id'] }]);
export const enableKey = mutation('enableKey', [{ apiKey: ['id'] }]);
export const revokeKey = mutation('revokeKey', [{ apiKey: ['id'] }]);
export const disableSigning = mutation('disableSigning', [{ apiKey: ['id'] }]);

export const listKeys = query('keys', [
  { nodes: ['id', 'name', 'env', 'prefix', 'lastUsedAt', 'createdAt'], pageInfo: ['hasNextPage', 'endCursor'] },
]);

/** What tells a program whether keys still are as it declared them. */
export const listWholeKeys = query('keys', [{ nodes: wholeKey, pageInfo: ['hasNextPage', 'endCursor'] }]);

export const updateKey = mutation('updateKey', [
  {
    apiKey: ['id', 'name', 'env', 'prefix', 'allowedIps', 'expiresAt', 'lastUsedAt', 'createdAt', 'revision'],
  },
]);

export const enableSigning = mutation('enableSigning', ['signingSecret']);
export const rotateSigningSecret = mutation('rotateSigningSecret', ['signingSecret']);

export const createWebhook = mutation('createWebhook', [{ webhook: ['id', 'url', 'types'] }, 'secret']);

const webhook = [
  'id',
  'url',
  'types',
  'description',
  'form',
  'signature',
  'createdAt',
  'disabledAt',
  'disabledReason',
] as const;

export const listWebhooks = query('webhooks', webhook);
export const updateWebhook = mutation('updateWebhook', [{ webhook }]);
export const deleteWebhook = mutation('deleteWebhook', ['id']);
export const rotateWebhookSecret = mutation('rotateWebhookSecret', ['secret']);

export const sendTestEvent = mutation('sendTestEvent', [
  { delivery: ['outcome', 'status', 'durationMs', 'responseBody', 'error'] },
]);

export const replayEvents = mutation('replayEvents', ['count']);

export const listDeliveries = query('deliveries', [
  {
    nodes: [
      'eventId',
      'type',
      'keyId',
      'outcome',
      'attempts',
      'status',
      'error',
      'durationMs',
      'responseBody',
      'createdAt',
      'attemptedAt',
      'nextAttemptAt',
    ],
    pageInfo: ['hasNextPage', 'endCursor'],
  },
]);

export const listEvents = query('events', [{ events: ['id', 'type', 'timestamp', 'data'] }, 'next']);

export const createManagementKey = mutation('createManagementKey', [
  { managementKey: ['id', 'name', 'prefix', 'expiresAt'] },
  'secret',
  'signingSecret',
]);

export const listManagementKeys = query('managementKeys', [
  'id',
  'name',
  'prefix',
  'permissions',
  'allowedIps',
  'expiresAt',
  'state',
  'signingEnabled',
  'createdAt',
  'createdBy',
  'rotatedAt',
  'previousPrefix',
  'previousSecretExpiresAt',
  'lastUsedAt',
  'revokedAt',
]);

export const rotateManagementKey = mutation('rotateManagementKey', [
  { managementKey: ['id', 'prefix', 'previousSecretExpiresAt'] },
  'secret',
]);
export const revokeManagementKey = mutation('revokeManagementKey', [{ managementKey: ['id'] }]);

const trustRule = [
  'id',
  'name',
  'issuer',
  'audience',
  'claims',
  'permissions',
  'once',
  'createdAt',
  'createdBy',
  'lastUsedAt',
] as const;

export const createTrustRule = mutation('createTrustRule', [{ trustRule }]);
export const listTrustRules = query('trustRules', trustRule);
export const deleteTrustRule = mutation('deleteTrustRule', ['id']);

export const freezeKeys = mutation('freezeKeys', [{ fence: ['id'] }, 'revision', 'keys', 'calls']);
export const listFences = query('fences', [
  'id',
  'teamId',
  'reason',
  'env',
  'tags',
  'externalId',
  'responsible',
  'createdBefore',
  'until',
  'createdAt',
  'createdBy',
]);
export const readReceipt = query('receipt', ['statement', 'payload', 'protected', 'signature']);
export const unfreezeKeys = mutation('unfreezeKeys', ['id']);

const rules = [
  'maxLifetimeSeconds',
  'requireExpiry',
  'requireAllowedIps',
  'requireSigning',
  'maxSecretAgeSeconds',
  { scopes: ['name', 'description'], maxRateLimit: ['limit', 'windowSeconds'] },
] as const;
const policy = [
  'teamId',
  'env',
  ...rules,
  {
    effective: rules,
    defaults: ['lifetimeSeconds', 'allowedIps', 'scopes', { rateLimit: ['limit', 'windowSeconds'] }],
  },
  'enforceAfter',
  'changedAt',
] as const;

export const readKeyPolicy = query('keyPolicy', policy);
export const setKeyPolicy = mutation('setKeyPolicy', [{ policy }]);

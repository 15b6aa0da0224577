/** Every operation of the schema, with the arguments of one call. */
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { typeDefs } from '../../src/graphql/type-defs.ts';

export interface Target {
  readonly team: string;
  readonly key: string;
  readonly webhook: string;
  readonly managementKey: string;
  readonly trustRule: string;
  readonly fence: string;
  /** Of a change that has a receipt. */
  readonly revision: string;
}

const when = 'from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"';
const inAYear = new Date(Date.now() + 300 * 86_400_000).toISOString();
/** What `createTrustRule` needs as TRUSTED_ISSUERS. */
export const trustedIssuer = 'https://ci.example.com';
const rule = `issuer: "${trustedIssuer}", audience: "latchkey", claims: { repository_id: "74231" }`;
const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The arguments of each operation. A new operation needs an entry here. */
export const operationCalls: Readonly<Record<string, (target: Target) => string>> = {
  viewer: () => '',
  key: ({ key }) => `(id: "${key}")`,
  keys: ({ team }) => `(teamId: "${team}")`,
  usage: ({ key }) => `(keyId: "${key}", ${when})`,
  observedSources: ({ key }) => `(keyId: "${key}")`,
  addressActivity: ({ team }) => `(teamId: "${team}", address: "192.0.2.1")`,
  unlistedSources: ({ key }) => `(keyId: "${key}")`,
  previewAllowedIps: ({ key }) => `(keyId: "${key}", allowedIps: [])`,
  teamUsage: ({ team }) => `(teamId: "${team}", ${when})`,
  rejectedKeys: ({ team }) => `(teamId: "${team}", ${when})`,
  keysOverview: ({ team }) => `(teamId: "${team}")`,
  keyValues: ({ team }) => `(teamId: "${team}", field: TAG)`,
  findKeys: ({ team }) => `(text: "lk_live_4fJx81Qz", teamId: "${team}")`,
  explainVerification: ({ team }) => `(input: { teamId: "${team}", prefix: "lk_live_4fJx81Qz" })`,
  auditLog: ({ team, key }) => `(teamId: "${team}", keyId: "${key}")`,
  leakPolicy: ({ team }) => `(teamId: "${team}")`,
  setLeakPolicy: ({ team }) => `(teamId: "${team}", policy: REVOKE)`,
  events: ({ team }) => `(teamId: "${team}")`,
  webhooks: ({ team }) => `(teamId: "${team}")`,
  deliveries: ({ webhook }) => `(webhookId: "${webhook}")`,
  createWebhook: ({ team }) => `(input: { teamId: "${team}", url: "https://example.com" })`,
  updateWebhook: ({ webhook }) => `(id: "${webhook}", input: { url: "https://example.com/theirs" })`,
  deleteWebhook: ({ webhook }) => `(id: "${webhook}")`,
  rotateWebhookSecret: ({ webhook }) => `(id: "${webhook}")`,
  sendTestEvent: ({ webhook }) => `(id: "${webhook}")`,
  replayEvents: ({ webhook }) => `(webhookId: "${webhook}", from: "2026-01-01T00:00:00Z")`,
  createKey: ({ team }) => `(input: { teamId: "${team}", name: "Theirs", env: live })`,
  importKeys: ({ team }) => `(teamId: "${team}", keys: [{ digest: "${digest}", name: "Theirs", env: live }])`,
  updateKey: ({ key }) => `(id: "${key}", input: { name: "Theirs" })`,
  rotateKey: ({ key }) => `(id: "${key}")`,
  endOverlap: ({ key }) => `(id: "${key}")`,
  disableKey: ({ key }) => `(id: "${key}")`,
  enableKey: ({ key }) => `(id: "${key}")`,
  revokeKey: ({ key }) => `(id: "${key}")`,
  changeKeys: ({ team, key }) => `(teamId: "${team}", action: REVOKE, keys: [{ id: "${key}" }])`,
  revokeKeys: ({ team }) => `(teamId: "${team}", filter: {})`,
  enableSigning: ({ key }) => `(id: "${key}")`,
  rotateSigningSecret: ({ key }) => `(id: "${key}")`,
  disableSigning: ({ key }) => `(id: "${key}")`,
  putKey: ({ team }) => `(input: { teamId: "${team}", env: live, externalId: "customer-2", name: "Theirs" })`,
  keyByExternalId: ({ team }) => `(teamId: "${team}", env: live, externalId: "customer-1")`,
  revokeKeyByExternalId: ({ team }) => `(teamId: "${team}", env: live, externalId: "customer-1")`,
  managementKeys: ({ team }) => `(teamId: "${team}")`,
  managementKey: ({ managementKey }) => `(id: "${managementKey}")`,
  createManagementKey: ({ team }) =>
    `(input: { teamId: "${team}", name: "Theirs", permissions: [view_team], expiresAt: "${inAYear}" })`,
  rotateManagementKey: ({ managementKey }) => `(id: "${managementKey}")`,
  revokeManagementKey: ({ managementKey }) => `(id: "${managementKey}")`,
  members: ({ team }) => `(teamId: "${team}")`,
  removeMember: ({ team }) => `(teamId: "${team}", subject: "theirs")`,
  importMembers: ({ team }) => `(input: { teamId: "${team}", subjects: ["theirs"] })`,
  handOverKeys: ({ team }) => `(teamId: "${team}", from: "tester", to: "theirs")`,
  trustedIssuers: () => '',
  trustRules: ({ team }) => `(teamId: "${team}")`,
  createTrustRule: ({ team }) => `(input: { teamId: "${team}", name: "Theirs", ${rule}, permissions: [view_team] })`,
  derivedUse: ({ key }) => `(keyId: "${key}")`,
  fences: ({ team }) => `(teamId: "${team}")`,
  freezeKeys: ({ team }) => `(input: { teamId: "${team}", reason: "Theirs", externalId: "customer-9" })`,
  unfreezeKeys: ({ fence }) => `(id: "${fence}")`,
  receipt: ({ revision }) => `(revision: "${revision}")`,
  keyPolicy: ({ team }) => `(teamId: "${team}", env: live)`,
  keyPolicies: ({ team }) => `(teamId: "${team}")`,
  policyBounds: () => '',
  setKeyPolicy: ({ team }) => `(input: { teamId: "${team}", env: live })`,
  deleteTrustRule: ({ trustRule }) => `(id: "${trustRule}")`,
};

const schema = buildSchema(typeDefs);

export const operations = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).map(({ name, type: answer, description }) => ({
    name,
    description: description ?? '',
    document: (target: Target) =>
      `${type === schema.getQueryType() ? 'query' : 'mutation'} { ${name}${operationCalls[name]?.(target)} ${
        isObjectType(getNamedType(answer)) ? '{ __typename }' : ''
      } }`,
  })),
);

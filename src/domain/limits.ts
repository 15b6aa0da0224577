/** The maximum sizes of a caller's input. docs/reference/rest.md lists these limits. */
export const limits = {
  sessionTokenCharacters: 8192,
  nameCharacters: 100,
  descriptionCharacters: 500,
  /** A line of a log, in which ids and prefixes are found. */
  searchCharacters: 4000,
  presentedCharacters: 1000,
  allowedSources: 100,
  allowedSourceCharacters: 255,
  /** The different host names among the allowed sources: each is resolved while the key is in use. */
  allowedHosts: 16,
  pageSize: 500,
  importedKeys: 200,
  changedKeys: 500,
  /** With `policyViolations` of each, more would cost more than a call may. */
  importedKeysWithViolations: 150,
  changedKeysWithViolations: 250,
  idempotencyKeyCharacters: 255,
  /** The revisions in `ifRevision` or `If-Match`. */
  revisions: 100,
  /** The header lines of a request whose signature is explained. */
  headerLines: 200,
  scopes: 50,
  scopeCharacters: 100,
  /** Of a policy. */
  permittedScopes: 100,
  scopeDescriptionCharacters: 200,
  minPolicySeconds: 60,
  /** Ten years. */
  maxPolicySeconds: 315_360_000,
  externalIdCharacters: 255,
  /** How many keys with one external id are read and named, if they are too many. */
  ambiguousKeys: 10,
  /** As many as a subject has. */
  responsibleCharacters: 255,
  tags: 20,
  tagCharacters: 64,
  metadataBytes: 4096,
  metadataDepth: 8,
  rateLimit: 1_000_000,
  rateLimitWindowSeconds: 86_400,
  reasonCharacters: 200,
  usageCounts: 6696,
  webhooks: 20,
  fences: 100,
  /** The shortest fence that ends by itself. */
  fenceMinutes: 5,
  /** Of the tokens that are derived from one key, whose uses are counted apart. */
  derivedLabels: 100,
  derivedLabelCharacters: 40,
  /** Of a derived token. */
  derivedSources: 10,
  derivedHours: 24,
  managementKeys: 50,
  trustRules: 50,
  /** The people of a team, of whom nothing is known beyond this number. */
  members: 10_000,
  /** In one call. */
  importedMembers: 1000,
  membersLeaving: 500,
  handedOverKeys: 100,
  trustRuleClaims: 10,
  /** The remaining lifetime of a token that is exchanged. */
  workloadTokenHours: 24,
  /** The name and the value of a claim of a trust rule. */
  claimCharacters: 200,
  /** The allowed sources of a management key, as JSON. */
  managementSourcesCharacters: 2000,
  webhookUrlCharacters: 2000,
  replayedEvents: 1000,
  /** Of an endpoint, with those of a replay. */
  pendingDeliveries: 10_000,
  reportedLeaks: 1000,
  leakUrlCharacters: 2000,
  /** The type and the source of a reported leak. */
  leakTextCharacters: 100,
} as const;

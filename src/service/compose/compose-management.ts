/** Constructs the control plane: the management port over the store. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Slots } from '../../admission/slots.ts';
import { SessionSeal } from '../../auth/browser-session.ts';
import { ExchangedTokens } from '../../auth/exchanged-token.ts';
import { TrustedIssuers } from '../../auth/trusted-issuers.ts';
import { type Configuration, ConfigurationError } from '../../config/configuration.ts';
import { type ServiceSecrets, serviceSecrets } from '../../config/secrets-file.ts';
import { isEveryAddress, urlOf } from '../../config/url.ts';
import { HostResolver } from '../../dns/host-resolver.ts';
import { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import { noRules } from '../../domain/policy/key-policy.ts';
import type { EventSender } from '../../events/sender/webhook-sender.ts';
import { startGraphQL } from '../../graphql/server.ts';
import { createApp } from '../../http/app.ts';
import type { RateLimitOptions } from '../../http/rate-limits.ts';
import type { TeamAccess } from '../../http/session/browser-sessions.ts';
import { GithubKeys } from '../../leaks/github-keys.ts';
import { ChangeBudget } from '../../manage/change/change-budget.ts';
import { revokeOwnKey } from '../../manage/change/key-state.ts';
import { leakReports } from '../../manage/leaks/report-leaks.ts';
import { trippedKeys } from '../../manage/leaks/tripped-keys.ts';
import type { Management } from '../../manage/management.ts';
import { startPolicyClock } from '../../manage/policy/start-policy-clock.ts';
import { startConvertingNames } from '../../manage/upkeep/convert-names.ts';
import { startPurging } from '../../manage/upkeep/purge.ts';
import { reportedUse } from '../../manage/upkeep/reported-use.ts';
import { maxTestEvents } from '../../manage/webhooks/send-test-event.ts';
import { OperationCounters } from '../../metrics/operation-counters.ts';
import type { ManagementReadings } from '../../metrics/readings.ts';
import { RequestCounters } from '../../metrics/request-counters.ts';
import { openNonces } from '../../store/feed/verification-store.ts';
import type { Store } from '../../store/store.ts';
import { AnsweredRecorder } from '../../usage/answered-recorder.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import { type Report, throttledReport } from '../processes/throttled-report.ts';
import { readinessCheck } from '../readiness.ts';
import { claimLog, reportKeySet, tokenKeys, tokenRules } from '../token-rules.ts';
import { recordCredentialUse } from './credential-use.ts';
import { startEventFlow } from './event-flow.ts';
import { tracesOf } from './observability.ts';
import { openStore, storeProblem } from './open-store.ts';
import { recordTeamAccess } from './team-access.ts';

export interface ManagementOptions {
  readonly configuration: Configuration;
  readonly log: Logger;
  readonly sender: EventSender;
  readonly verifyPort: () => number;
  /** Called when the database is migrated and the secrets match it, so that verification may start. */
  readonly onPrepared: () => void;
}

/** The maximum number of concurrent calls. 256 changes take about 170 ms; further calls would only wait longer. */
const maxCalls = 256;

export async function composeManagement(options: ManagementOptions) {
  const { configuration } = options;
  const secrets = serviceSecrets(configuration);
  const store = await openStore(configuration, options.log);
  try {
    const problems = [
      ...(await store.startWithRing('pepper', secrets.peppers)).map((problem) => `KEY_PEPPERS: ${problem}`),
      ...(await store.startWithRing('signing-kek', secrets.signingKeks)).map((problem) => `SIGNING_KEKS: ${problem}`),
    ];
    if (problems.length > 0) throw new ConfigurationError(problems);
    if (configuration.VERIFY_LEASE_MS > 0) await store.raiseLease(configuration.VERIFY_LEASE_MS);
    options.onPrepared();
    return await composeOver(store, secrets, options);
  } catch (error) {
    await store.close();
    throw storeProblem(configuration, error);
  }
}

async function composeOver(
  store: Store,
  secrets: ServiceSecrets,
  { configuration, log, sender, verifyPort }: ManagementOptions,
) {
  const report = throttledReport(log);
  const operations = new OperationCounters();
  const requests = new RequestCounters('management');
  const traces = await tracesOf(configuration, report);
  const graphql = await startGraphQL(log, operations);
  const hosts = new HostResolver(configuration.DNS_SERVERS === undefined ? {} : { servers: configuration.DNS_SERVERS });
  const nonces = openNonces(configuration.DATABASE_URL);
  const credentialUse = recordCredentialUse(store, report);
  const answered = new AnsweredRecorder(store.receipts, (error) =>
    report(error, 'when changes were answered could not be written; it is kept'),
  );
  store.changes.onAnswered = (revisions, at) => answered.record(revisions, at);
  const access = recordTeamAccess(store, configuration.SESSION_MAX_LIFETIME, report);
  const revisions = new OpaqueRevisions(await store.readIdSecret());
  const { signingKeks } = secrets;
  const events = startEventFlow(configuration, { store, revisions, signingKeks, sender, report });
  const management = managementOf(configuration, secrets, { store, revisions, nonces, hosts, events, credentialUse });
  const reportLeaks = leakReports(management);
  const controlPlane: ControlPlane = {
    ...reportedUse(store),
    announceTokens: () => store.allowForeignTexts(),
    addTrips: trippedKeys(store),
    revokeOwnKey: (keyId, call) => revokeOwnKey(management, keyId, call),
    reportLeaks,
  };
  const upkeep = startUpkeep(configuration, store, log, report);
  const { readiness, startDraining } = readinessCheck(() => canManage(store, report));
  const tokens = tokenRules(configuration, await tokenKeys(configuration, secrets.generated), claimLog(log));
  if (configuration.JWT_JWKS_URL !== undefined) void reportKeySet(configuration.JWT_JWKS_URL, log);
  const sessions = await sessionOptions(configuration, secrets, { store, access, log });
  const leaks = { githubKeys: new GithubKeys(configuration.GITHUB_SECRET_SCANNING_KEYS_URL), reportLeaks };
  const exchange = {
    issuers: new TrustedIssuers(configuration.TRUSTED_ISSUERS ?? [], {
      onFailure: (error, issuer) => report(error, `the discovery document of ${issuer} could not be read`),
    }),
    exchanged: new ExchangedTokens(signingKeks),
  };
  const parts = { graphql, management, leaks, exchange, tokens, sessions, requests, traces, readiness, report, log };
  return {
    app: createApp({ ...appSettings(configuration, verifyPort, events.onRejectedSession), ...parts }),
    management,
    controlPlane,
    readings: (): ManagementReadings => ({
      requests,
      operations,
      changesWaiting: store.changes.length,
      deliveries: events.deliveries.readings(),
      storeErrors: { management: operations.count('UNAVAILABLE'), purge: upkeep.purging.failures },
    }),
    /** Whether the secrets were generated now, because this is the first start in the directory. */
    firstRun: secrets.generated?.isNew ?? false,
    startDraining: () => {
      events.waits.stop();
      startDraining();
    },
    /** Finishes pending changes and closes the store. */
    close: async () => {
      await upkeep.stop();
      await events.stop();
      await credentialUse.close();
      await access.close();
      await answered.close();
      hosts.close();
      await nonces.close();
      await graphql.server.stop();
      await store.close();
      await traces?.close();
    },
  };
}

interface ManagementParts {
  readonly store: Store;
  readonly revisions: OpaqueRevisions;
  readonly nonces: ReturnType<typeof openNonces>;
  readonly hosts: HostResolver;
  readonly events: ReturnType<typeof startEventFlow>;
  readonly credentialUse: ReturnType<typeof recordCredentialUse>;
}

function managementOf(
  configuration: Configuration,
  { peppers, signingKeks }: ServiceSecrets,
  { store, revisions, nonces, hosts, events, credentialUse }: ManagementParts,
): Management {
  return {
    store,
    keyTag: configuration.KEY_TAG,
    peppers,
    signingKeks,
    revisions,
    maxKeysPerTeam: configuration.MAX_KEYS_PER_TEAM,
    budget: new ChangeBudget(configuration.TEAM_CHANGES_PER_HOUR),
    policyBounds: configuration.POLICY_BOUNDS ?? noRules,
    trustedIssuers: (configuration.TRUSTED_ISSUERS ?? []).map(({ issuer }) => issuer),
    randomBytes,
    isNonceUsed: nonces.has,
    claimNonce: async (claim) => (await nonces.claim([claim]))[0] === true,
    credentialUse,
    resolveHost: (host, teamId) => hosts.resolveHost(host, teamId),
    webhookNetworks: configuration.WEBHOOK_ALLOWED_NETWORKS ?? [],
    sendOnce: (webhook, event) => events.deliveries.deliverer.sendOnce(webhook, event),
    testSlots: new Slots(maxTestEvents.total),
    waitForEvents: events.waits.waitForEvents,
  };
}

function startUpkeep(configuration: Configuration, store: Store, log: Logger, report: Report) {
  const retention = {
    usageDays: configuration.USAGE_RETENTION_DAYS,
    auditDays: configuration.AUDIT_RETENTION_DAYS,
    revokedDays: configuration.REVOKED_RETENTION_DAYS,
    isOperatorSubscribed: configuration.EVENTS_URL !== undefined,
  };
  const purging = startPurging(store, retention, (purged) => log.info(purged, 'purged'), report);
  const policies = startPolicyClock(store, report);
  const stopConvertingNames = startConvertingNames(store, report);
  return {
    purging,
    stop: async () => {
      // It ends between two batches, of which some read for long.
      void purging.stop();
      await policies.stop();
      await stopConvertingNames();
    },
  };
}

async function sessionOptions(
  configuration: Configuration,
  secrets: ServiceSecrets,
  { store, access, log }: { readonly store: Store; readonly access: TeamAccess; readonly log: Logger },
) {
  return {
    seal: new SessionSeal(secrets.signingKeks),
    ended: store.endedSessions,
    access,
    publicUrl: configuration.PUBLIC_URL ?? null,
    maxLifetimeSeconds: configuration.SESSION_MAX_LIFETIME,
    // Without a provider, nothing of OpenID Connect is loaded.
    signIn:
      configuration.OIDC_ISSUER === undefined
        ? null
        : (await import('../sign-in.ts')).signIn(configuration, secrets.signingKeks, log),
  };
}

async function canManage(store: Store, report: Report): Promise<void> {
  await store.ping();
  await store.checkWritable().catch((error) => {
    report(error, 'changes cannot be written');
    throw error;
  });
}

function appSettings(
  configuration: Configuration,
  verifyPort: () => number,
  onRejectedSession: RateLimitOptions['onRejectedSession'],
) {
  const { VERIFY_HOST } = configuration;
  return {
    rateLimits: {
      operationsPerMinute: configuration.MANAGEMENT_RATE_LIMIT,
      sessionsPerHour: configuration.TEAM_CHANGES_PER_HOUR,
      failedTokensPerMinute: configuration.FAILED_TOKEN_LIMIT,
      onRejectedSession,
    },
    maxCalls,
    corsOrigins: configuration.CORS_ORIGINS ?? [],
    dashboard: {
      // If VERIFY_HOST is a wildcard address, callers get the `hostname` with which they reached management.
      verifyUrl: (hostname: string) => urlOf(isEveryAddress(VERIFY_HOST) ? hostname : VERIFY_HOST, verifyPort()),
      keyLocations: configuration.KEY_LOCATIONS,
      graphiql: configuration.GRAPHIQL,
      signIn: configuration.OIDC_ISSUER?.host ?? '',
      teamsClaim: configuration.JWT_TEAMS_CLAIM,
    },
    trustProxy: configuration.TRUST_PROXY ?? null,
  };
}

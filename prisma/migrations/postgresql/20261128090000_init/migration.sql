-- The schema of 0.2.0. Triggers are written by hand: they are not part of the data model.

CREATE TYPE "KeyEnv" AS ENUM ('live', 'test');

CREATE TYPE "AuditAction" AS ENUM ('KEY_CREATED', 'KEY_UPDATED', 'KEY_REVOKED', 'SIGNING_ENABLED', 'SIGNING_ROTATED', 'SIGNING_DISABLED', 'KEY_IMPORTED', 'KEY_ROTATED', 'OVERLAP_ENDED', 'KEY_DISABLED', 'KEY_ENABLED');

CREATE TYPE "ActorKind" AS ENUM ('SESSION', 'KEY_HOLDER', 'OPERATOR');

CREATE TABLE "ApiKey" (
    id text NOT NULL,
    "teamId" text NOT NULL,
    name text NOT NULL,
    env "KeyEnv" NOT NULL,
    prefix text NOT NULL,
    digest text NOT NULL,
    "pepperId" text NOT NULL,
    "allowedIps" jsonb NOT NULL,
    "expiresAt" timestamp(3) without time zone,
    "createdAt" timestamp(3) without time zone NOT NULL,
    "revokedAt" timestamp(3) without time zone,
    "signingEnvelope" text,
    "signingVersion" integer NOT NULL DEFAULT 0,
    "searchText" text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    "importRevision" bigint,
    "disabledAt" timestamp(3) without time zone,
    "externalId" text,
    metadata jsonb,
    "previousExpiresAt" timestamp(3) without time zone,
    "previousPrefix" text,
    "previousSigningEnvelope" text,
    "previousSigningExpiresAt" timestamp(3) without time zone,
    "previousSigningVersion" integer,
    "rateLimit" integer,
    "rateLimitWindowSeconds" integer,
    "rotatedAt" timestamp(3) without time zone,
    scopes jsonb NOT NULL DEFAULT '[]'::jsonb,
    "secretVersion" integer NOT NULL DEFAULT 1,
    tags jsonb NOT NULL DEFAULT '[]'::jsonb,
    description text,
    CONSTRAINT "ApiKey_pkey" PRIMARY KEY (id)
);

CREATE TABLE "KeyUsage" (
    "keyId" text NOT NULL,
    "lastUsedAt" timestamp(3) without time zone NOT NULL,
    CONSTRAINT "KeyUsage_pkey" PRIMARY KEY ("keyId")
);

CREATE TABLE "Revision" (
    id integer NOT NULL,
    current bigint NOT NULL,
    "leaseMs" integer NOT NULL DEFAULT 0,
    imports boolean NOT NULL DEFAULT false,
    "idSecret" text NOT NULL DEFAULT ''::text,
    CONSTRAINT "Revision_pkey" PRIMARY KEY (id)
);

CREATE TABLE "AuditEntry" (
    revision bigint NOT NULL,
    action "AuditAction" NOT NULL,
    "keyId" text NOT NULL,
    "teamId" text NOT NULL,
    actor text NOT NULL,
    source text,
    "requestId" text NOT NULL,
    at timestamp(3) without time zone NOT NULL,
    changes jsonb NOT NULL,
    "actorKind" "ActorKind",
    details jsonb,
    event text,
    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY (revision)
);

CREATE TABLE "RingKey" (
    purpose text NOT NULL,
    id text NOT NULL,
    fingerprint text NOT NULL,
    CONSTRAINT "RingKey_pkey" PRIMARY KEY (purpose, id)
);

CREATE TABLE "UsageHour" (
    "keyId" text NOT NULL,
    hour timestamp(3) without time zone NOT NULL,
    code text NOT NULL,
    count integer NOT NULL,
    CONSTRAINT "UsageHour_pkey" PRIMARY KEY ("keyId", hour, code)
);

CREATE TABLE "SignatureNonce" (
    "keyId" text NOT NULL,
    nonce text NOT NULL,
    "expiresAt" timestamp(3) without time zone NOT NULL,
    CONSTRAINT "SignatureNonce_pkey" PRIMARY KEY ("keyId", nonce)
);

CREATE TABLE "TeamUsageHour" (
    "teamId" text NOT NULL,
    hour timestamp(3) without time zone NOT NULL,
    code text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT "TeamUsageHour_pkey" PRIMARY KEY ("teamId", hour, code)
);

CREATE TABLE "IdempotentCreate" (
    id text NOT NULL,
    fingerprint text NOT NULL,
    "keyId" text NOT NULL,
    "expiresAt" timestamp(3) without time zone NOT NULL,
    "canonicalFingerprint" text,
    CONSTRAINT "IdempotentCreate_pkey" PRIMARY KEY (id)
);

CREATE TABLE "KeyConflict" (
    "keyId" text NOT NULL,
    "otherKeyId" text NOT NULL,
    "seenAt" timestamp(3) without time zone NOT NULL,
    CONSTRAINT "KeyConflict_pkey" PRIMARY KEY ("keyId", "otherKeyId")
);

CREATE TABLE "RotatedSecret" (
    digest text NOT NULL,
    "keyId" text NOT NULL,
    "teamId" text NOT NULL,
    version integer NOT NULL,
    prefix text NOT NULL,
    "pepperId" text NOT NULL,
    "rotatedAt" timestamp(3) without time zone NOT NULL,
    CONSTRAINT "RotatedSecret_pkey" PRIMARY KEY (digest, "keyId")
);

CREATE TABLE "RateCount" (
    "keyId" text NOT NULL,
    "windowSeconds" integer NOT NULL,
    "windowEnd" timestamp(3) without time zone NOT NULL,
    count integer NOT NULL,
    CONSTRAINT "RateCount_pkey" PRIMARY KEY ("keyId", "windowSeconds", "windowEnd")
);

CREATE TABLE "SecretUse" (
    "keyId" text NOT NULL,
    version integer NOT NULL,
    "lastUsedAt" timestamp(3) without time zone,
    CONSTRAINT "SecretUse_pkey" PRIMARY KEY ("keyId", version)
);

CREATE TABLE "SecretUsageHour" (
    "keyId" text NOT NULL,
    version integer NOT NULL,
    hour timestamp(3) without time zone NOT NULL,
    code text NOT NULL,
    count integer NOT NULL,
    CONSTRAINT "SecretUsageHour_pkey" PRIMARY KEY ("keyId", version, hour, code)
);

CREATE TABLE "ObservedSource" (
    "keyId" text NOT NULL,
    version integer NOT NULL,
    address text NOT NULL,
    code text NOT NULL,
    count bigint NOT NULL,
    "firstAt" timestamp(3) without time zone NOT NULL,
    "lastAt" timestamp(3) without time zone NOT NULL,
    CONSTRAINT "ObservedSource_pkey" PRIMARY KEY ("keyId", version, address, code)
);

CREATE TABLE "Team" (
    id text NOT NULL,
    name text NOT NULL,
    CONSTRAINT "Team_pkey" PRIMARY KEY (id)
);

CREATE TABLE "RejectedHour" (
    "teamId" text NOT NULL,
    hour timestamp(3) without time zone NOT NULL,
    "keyId" text NOT NULL,
    code text NOT NULL,
    count integer NOT NULL,
    CONSTRAINT "RejectedHour_pkey" PRIMARY KEY ("teamId", hour, "keyId", code)
);

CREATE TABLE "UsageDay" (
    "keyId" text NOT NULL,
    day timestamp(3) without time zone NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT "UsageDay_pkey" PRIMARY KEY ("keyId", day)
);

CREATE TABLE "EndedSession" (
    id text NOT NULL,
    "startedBy" timestamp(3) without time zone,
    "expiresAt" timestamp(3) without time zone NOT NULL,
    CONSTRAINT "EndedSession_pkey" PRIMARY KEY (id)
);

CREATE TABLE "Webhook" (
    id text NOT NULL,
    "teamId" text NOT NULL,
    url text NOT NULL,
    description text,
    types jsonb NOT NULL,
    form text NOT NULL,
    signature text NOT NULL,
    "secretEnvelope" text NOT NULL,
    "secretVersion" integer NOT NULL,
    "previousSecretEnvelope" text,
    "previousSecretExpiresAt" timestamp(3) without time zone,
    "createdAt" timestamp(3) without time zone NOT NULL,
    "disabledAt" timestamp(3) without time zone,
    "disabledReason" text,
    cursor bigint NOT NULL,
    version integer NOT NULL DEFAULT 1,
    "pausedUntil" timestamp(3) without time zone,
    CONSTRAINT "Webhook_pkey" PRIMARY KEY (id)
);

CREATE TABLE "Delivery" (
    "webhookId" text NOT NULL,
    revision bigint NOT NULL,
    type text NOT NULL,
    "keyId" text NOT NULL,
    outcome text NOT NULL,
    attempts integer NOT NULL,
    status integer,
    error text,
    "durationMs" integer,
    "responseBody" text,
    "createdAt" timestamp(3) without time zone NOT NULL,
    "attemptedAt" timestamp(3) without time zone,
    "nextAttemptAt" timestamp(3) without time zone,
    CONSTRAINT "Delivery_pkey" PRIMARY KEY ("webhookId", revision)
);

CREATE TABLE "EventProgress" (
    id text NOT NULL,
    state jsonb NOT NULL,
    CONSTRAINT "EventProgress_pkey" PRIMARY KEY (id)
);

CREATE TABLE "EventWorker" (
    id integer NOT NULL,
    holder text NOT NULL,
    beat bigint NOT NULL,
    CONSTRAINT "EventWorker_pkey" PRIMARY KEY (id)
);

CREATE TABLE "Exposure" (
    id text NOT NULL,
    "keyId" text NOT NULL,
    at timestamp(3) without time zone NOT NULL,
    CONSTRAINT "Exposure_pkey" PRIMARY KEY (id)
);

CREATE TABLE "LeakPolicy" (
    "teamId" text NOT NULL,
    policy text NOT NULL,
    CONSTRAINT "LeakPolicy_pkey" PRIMARY KEY ("teamId")
);

CREATE UNIQUE INDEX "ApiKey_revision_key" ON "ApiKey" USING btree (revision);

CREATE INDEX "ApiKey_team_idx" ON "ApiKey" USING btree ("teamId", "createdAt" DESC, id DESC);

CREATE INDEX "ApiKey_team_unrevoked_idx" ON "ApiKey" USING btree ("teamId", "createdAt" DESC, id DESC) WHERE ("revokedAt" IS NULL);

CREATE INDEX "AuditEntry_teamId_revision_idx" ON "AuditEntry" USING btree ("teamId", revision DESC);

CREATE INDEX "AuditEntry_keyId_revision_idx" ON "AuditEntry" USING btree ("keyId", revision DESC);

CREATE INDEX "UsageHour_hour_idx" ON "UsageHour" USING btree (hour);

CREATE INDEX "SignatureNonce_expiresAt_idx" ON "SignatureNonce" USING btree ("expiresAt");

CREATE INDEX "TeamUsageHour_hour_idx" ON "TeamUsageHour" USING btree (hour);

CREATE INDEX "IdempotentCreate_expiresAt_idx" ON "IdempotentCreate" USING btree ("expiresAt");

CREATE UNIQUE INDEX "ApiKey_digest_teamId_key" ON "ApiKey" USING btree (digest, "teamId");

CREATE INDEX "ApiKey_revoked_idx" ON "ApiKey" USING btree ("revokedAt") WHERE ("revokedAt" IS NOT NULL);

CREATE INDEX "AuditEntry_at_idx" ON "AuditEntry" USING btree (at);

CREATE INDEX "RotatedSecret_keyId_idx" ON "RotatedSecret" USING btree ("keyId");

CREATE INDEX "RateCount_windowEnd_idx" ON "RateCount" USING btree ("windowEnd");

CREATE INDEX "ApiKey_external_id_idx" ON "ApiKey" USING btree ("teamId", "externalId") WHERE ("externalId" IS NOT NULL);

CREATE INDEX "SecretUsageHour_hour_idx" ON "SecretUsageHour" USING btree (hour);

CREATE INDEX "ObservedSource_lastAt_idx" ON "ObservedSource" USING btree ("lastAt");

CREATE INDEX "RejectedHour_hour_idx" ON "RejectedHour" USING btree (hour);

CREATE INDEX "ApiKey_team_revoked_idx" ON "ApiKey" USING btree ("teamId", "createdAt" DESC, id DESC) WHERE ("revokedAt" IS NOT NULL);

CREATE INDEX "ApiKey_expiry_unrevoked_idx" ON "ApiKey" USING btree ("teamId", "expiresAt", id) WHERE ("revokedAt" IS NULL);

CREATE INDEX "ApiKey_expiry_revoked_idx" ON "ApiKey" USING btree ("teamId", "expiresAt", id) WHERE ("revokedAt" IS NOT NULL);

CREATE INDEX "ApiKey_previous_prefix_idx" ON "ApiKey" USING btree ("previousPrefix", "teamId") WHERE ("previousPrefix" IS NOT NULL);

CREATE INDEX "UsageDay_day_idx" ON "UsageDay" USING btree (day);

CREATE INDEX "EndedSession_expiresAt_idx" ON "EndedSession" USING btree ("expiresAt");

CREATE INDEX "Webhook_teamId_createdAt_id_idx" ON "Webhook" USING btree ("teamId", "createdAt", id);

CREATE INDEX "Delivery_due_idx" ON "Delivery" USING btree ("webhookId", "nextAttemptAt", revision) WHERE ("nextAttemptAt" IS NOT NULL);

CREATE INDEX "Delivery_createdAt_idx" ON "Delivery" USING btree ("createdAt");

CREATE INDEX "Exposure_keyId_idx" ON "Exposure" USING btree ("keyId");

CREATE INDEX "ApiKey_expiring_idx" ON "ApiKey" USING btree ("expiresAt", id) WHERE ("expiresAt" IS NOT NULL);

CREATE INDEX "ApiKey_overlap_idx" ON "ApiKey" USING btree ("previousExpiresAt", id) WHERE ("previousExpiresAt" IS NOT NULL);

CREATE INDEX "ApiKey_signing_overlap_idx" ON "ApiKey" USING btree ("previousSigningExpiresAt", id) WHERE ("previousSigningExpiresAt" IS NOT NULL);

CREATE INDEX "ApiKey_prefix_teamId_idx" ON "ApiKey" USING btree (prefix, "teamId");

CREATE INDEX "ApiKey_name_unrevoked_idx" ON "ApiKey" USING btree ("teamId", "searchText", id) WHERE ("revokedAt" IS NULL);

CREATE INDEX "ApiKey_name_revoked_idx" ON "ApiKey" USING btree ("teamId", "searchText", id) WHERE ("revokedAt" IS NOT NULL);

CREATE INDEX "Delivery_order_idx" ON "Delivery" USING btree ("webhookId", "keyId", revision) WHERE ("nextAttemptAt" IS NOT NULL);

CREATE OR REPLACE FUNCTION latchkey_manual_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  -- The last revision that this transaction has given to a row. To raise "Revision" for each row instead would take time
  -- with the square of their number.
  last bigint := nullif(current_setting('latchkey.last_revision', true), '')::bigint;
BEGIN
  IF last IS NULL THEN
    EXECUTE format('UPDATE %I."Revision" SET "current" = "current" + 100000000 WHERE "id" = 1
      RETURNING "current" - 100000000', TG_TABLE_SCHEMA) INTO STRICT last;
  END IF;
  NEW."revision" := last + 1;
  PERFORM set_config('latchkey.last_revision', NEW."revision"::text, true);
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION latchkey_manual_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE format('UPDATE %I."Revision" SET "current" = "current" + 10001 WHERE "id" = 1', TG_TABLE_SCHEMA);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION latchkey_commit_synchronously()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM set_config('synchronous_commit', 'on', true);
  RETURN NULL;
END $function$;

CREATE TRIGGER "ApiKey_manual_update" BEFORE UPDATE ON "ApiKey" FOR EACH ROW WHEN ((new.revision <= old.revision)) EXECUTE FUNCTION latchkey_manual_update();

CREATE TRIGGER "ApiKey_manual_delete" BEFORE DELETE OR TRUNCATE ON "ApiKey" FOR EACH STATEMENT EXECUTE FUNCTION latchkey_manual_delete();

CREATE TRIGGER "Revision_synchronous_commit" AFTER UPDATE ON "Revision" FOR EACH STATEMENT WHEN ((current_setting('synchronous_commit'::text) <> ALL (ARRAY['on'::text, 'remote_apply'::text]))) EXECUTE FUNCTION latchkey_commit_synchronously();

CREATE TRIGGER "SignatureNonce_synchronous_commit" AFTER INSERT ON "SignatureNonce" FOR EACH STATEMENT WHEN ((current_setting('synchronous_commit'::text) <> ALL (ARRAY['on'::text, 'remote_apply'::text]))) EXECUTE FUNCTION latchkey_commit_synchronously();

CREATE TRIGGER "RotatedSecret_manual_change" BEFORE DELETE OR UPDATE OR TRUNCATE ON "RotatedSecret" FOR EACH STATEMENT EXECUTE FUNCTION latchkey_manual_delete();

-- The rows that every database has. 244 of the 256 bits of `idSecret` are random at least.
INSERT INTO "Revision" ("id", "current", "idSecret") VALUES (1, 0, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));
INSERT INTO "EventWorker" ("id", "holder", "beat") VALUES (1, '', 0);

-- migration: 20261121092306_init
-- CreateEnum
CREATE TYPE "KeyEnv" AS ENUM ('live', 'test');

-- CreateEnum
CREATE TYPE "AuditAction" AS ENUM ('KEY_CREATED', 'KEY_UPDATED', 'KEY_REVOKED', 'SIGNING_ENABLED', 'SIGNING_ROTATED', 'SIGNING_DISABLED');

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "env" "KeyEnv" NOT NULL,
    "prefix" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "pepperId" TEXT NOT NULL,
    "allowedIps" JSONB NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL,
    "revokedAt" TIMESTAMP(3),
    "signingEnvelope" TEXT,
    "signingVersion" INTEGER NOT NULL DEFAULT 0,
    "searchText" TEXT NOT NULL,
    "revision" BIGINT NOT NULL,

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "KeyUsage" (
    "keyId" TEXT NOT NULL,
    "lastUsedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "KeyUsage_pkey" PRIMARY KEY ("keyId")
);

-- CreateTable
CREATE TABLE "Revision" (
    "id" INTEGER NOT NULL,
    "current" BIGINT NOT NULL,

    CONSTRAINT "Revision_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AuditEntry" (
    "revision" BIGINT NOT NULL,
    "action" "AuditAction" NOT NULL,
    "keyId" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "source" TEXT,
    "requestId" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "changes" JSONB NOT NULL,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("revision")
);

-- CreateTable
CREATE TABLE "RingKey" (
    "purpose" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,

    CONSTRAINT "RingKey_pkey" PRIMARY KEY ("purpose","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_prefix_key" ON "ApiKey"("prefix");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_digest_key" ON "ApiKey"("digest");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_revision_key" ON "ApiKey"("revision");

-- CreateIndex
CREATE INDEX "ApiKey_team_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "ApiKey_team_unrevoked_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC) WHERE ("revokedAt" IS NULL);

-- CreateIndex
CREATE INDEX "AuditEntry_teamId_revision_idx" ON "AuditEntry"("teamId", "revision" DESC);

-- CreateIndex
CREATE INDEX "AuditEntry_keyId_revision_idx" ON "AuditEntry"("keyId", "revision" DESC);

-- The one row that numbers the changes.
INSERT INTO "Revision" ("id", "current") VALUES (1, 0);
-- migration: 20261121100024_usage_hours
-- CreateTable
CREATE TABLE "UsageHour" (
    "keyId" TEXT NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "UsageHour_pkey" PRIMARY KEY ("keyId","hour","code")
);

-- CreateIndex
CREATE INDEX "UsageHour_hour_idx" ON "UsageHour"("hour");
-- migration: 20261121100500_signature_nonces
-- Written by hand and no part of the data model: on SQLite, the nonces are in a file of their own (sqlite-nonces.ts).
CREATE TABLE "SignatureNonce" (
    "keyId" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SignatureNonce_pkey" PRIMARY KEY ("keyId", "nonce")
);

CREATE INDEX "SignatureNonce_expiresAt_idx" ON "SignatureNonce"("expiresAt");
-- migration: 20261121115207_leases
-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "leaseMs" INTEGER NOT NULL DEFAULT 0;
-- migration: 20261121152438_team_usage_hours
-- CreateTable
CREATE TABLE "TeamUsageHour" (
    "teamId" TEXT NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "code" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "TeamUsageHour_pkey" PRIMARY KEY ("teamId","hour","code")
);

-- CreateIndex
CREATE INDEX "TeamUsageHour_hour_idx" ON "TeamUsageHour"("hour");

-- What was counted before.
INSERT INTO "TeamUsageHour" ("teamId", "hour", "code", "count")
SELECT k."teamId", h."hour", h."code", SUM(h."count")
FROM "UsageHour" h JOIN "ApiKey" k ON k."id" = h."keyId"
GROUP BY 1, 2, 3;
-- migration: 20261121164145_idempotent_creates
-- CreateTable
CREATE TABLE "IdempotentCreate" (
    "id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "IdempotentCreate_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "IdempotentCreate_expiresAt_idx" ON "IdempotentCreate"("expiresAt");
-- migration: 20261121175138_imported_keys
-- AlterEnum
ALTER TYPE "AuditAction" ADD VALUE 'KEY_IMPORTED';

-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "imports" BOOLEAN NOT NULL DEFAULT false;
-- migration: 20261122005722_key_conflicts
-- The new indexes first: instances of the version before look keys up by them too, as the first column is the same.

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_digest_teamId_key" ON "ApiKey"("digest", "teamId");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_prefix_teamId_key" ON "ApiKey"("prefix", "teamId");

-- DropIndex
DROP INDEX "ApiKey_prefix_key";

-- DropIndex
DROP INDEX "ApiKey_digest_key";

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "importRevision" BIGINT;

-- The keys that were imported before, in their order.
UPDATE "ApiKey" SET "importRevision" =
    (SELECT min(e."revision") FROM "AuditEntry" e WHERE e."keyId" = "ApiKey"."id" AND e."action"::text = 'KEY_IMPORTED')
WHERE "id" IN (SELECT "keyId" FROM "AuditEntry" WHERE "action"::text = 'KEY_IMPORTED');

-- CreateTable
CREATE TABLE "KeyConflict" (
    "keyId" TEXT NOT NULL,
    "otherKeyId" TEXT NOT NULL,
    "seenAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "KeyConflict_pkey" PRIMARY KEY ("keyId","otherKeyId")
);
-- migration: 20261122010000_manual_changes
-- Written by hand; triggers are not part of the data model.
--
-- Makes changes by hand (an operator's UPDATE, DELETE or TRUNCATE) visible to every instance's cache. The service itself
-- gives each row that it writes a greater revision, so that the condition below keeps its own updates free of cost.
-- A cache that finds the revision more than 10,000 ahead forgets everything, also in versions from before this migration.

CREATE FUNCTION latchkey_manual_update() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;

CREATE TRIGGER "ApiKey_manual_update" BEFORE UPDATE ON "ApiKey" FOR EACH ROW
  WHEN (NEW."revision" <= OLD."revision") EXECUTE FUNCTION latchkey_manual_update();

CREATE FUNCTION latchkey_manual_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE %I."Revision" SET "current" = "current" + 10001 WHERE "id" = 1', TG_TABLE_SCHEMA);
  RETURN NULL;
END $$;

-- Before the rows: in the order in which the service takes its locks.
CREATE TRIGGER "ApiKey_manual_delete" BEFORE DELETE OR TRUNCATE ON "ApiKey" FOR EACH STATEMENT
  EXECUTE FUNCTION latchkey_manual_delete();
-- migration: 20261122010100_synchronous_commit
-- Written by hand; triggers are not part of the data model.
--
-- An answered change must survive a crash and, where standbys are synchronous, a failover, also where the role or the
-- database has another synchronous_commit. A trigger does this for each transaction, whatever pooler is in between; it
-- runs only where the setting is too weak.

CREATE FUNCTION latchkey_commit_synchronously() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'on', true);
  RETURN NULL;
END $$;

-- Every change of a key takes a revision.
CREATE TRIGGER "Revision_synchronous_commit" AFTER UPDATE ON "Revision" FOR EACH STATEMENT
  WHEN (current_setting('synchronous_commit') NOT IN ('on', 'remote_apply'))
  EXECUTE FUNCTION latchkey_commit_synchronously();

CREATE TRIGGER "SignatureNonce_synchronous_commit" AFTER INSERT ON "SignatureNonce" FOR EACH STATEMENT
  WHEN (current_setting('synchronous_commit') NOT IN ('on', 'remote_apply'))
  EXECUTE FUNCTION latchkey_commit_synchronously();
-- migration: 20261122011717_purge
-- CreateIndex
CREATE INDEX "ApiKey_revoked_idx" ON "ApiKey"("revokedAt") WHERE ("revokedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "AuditEntry_at_idx" ON "AuditEntry"("at");
-- migration: 20261122014331_actor_kinds
-- CreateEnum
CREATE TYPE "ActorKind" AS ENUM ('SESSION', 'KEY_HOLDER', 'OPERATOR');

-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "actorKind" "ActorKind";
-- migration: 20261122015304_opaque_ids
-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "idSecret" TEXT NOT NULL DEFAULT '';

-- 244 of the 256 bits are random.
UPDATE "Revision" SET "idSecret" = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
-- migration: 20261122082339_key_features
-- AlterEnum
ALTER TYPE "AuditAction" ADD VALUE 'KEY_ROTATED';
ALTER TYPE "AuditAction" ADD VALUE 'OVERLAP_ENDED';
ALTER TYPE "AuditAction" ADD VALUE 'KEY_DISABLED';
ALTER TYPE "AuditAction" ADD VALUE 'KEY_ENABLED';

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "disabledAt" TIMESTAMP(3),
ADD COLUMN     "externalId" TEXT,
ADD COLUMN     "metadata" JSONB,
ADD COLUMN     "previousExpiresAt" TIMESTAMP(3),
ADD COLUMN     "previousPrefix" TEXT,
ADD COLUMN     "previousSigningEnvelope" TEXT,
ADD COLUMN     "previousSigningExpiresAt" TIMESTAMP(3),
ADD COLUMN     "previousSigningVersion" INTEGER,
ADD COLUMN     "rateLimit" INTEGER,
ADD COLUMN     "rateLimitWindowSeconds" INTEGER,
ADD COLUMN     "rotatedAt" TIMESTAMP(3),
ADD COLUMN     "scopes" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "secretVersion" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "RotatedSecret" (
    "digest" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "prefix" TEXT NOT NULL,
    "pepperId" TEXT NOT NULL,
    "rotatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RotatedSecret_pkey" PRIMARY KEY ("digest","keyId")
);

-- CreateTable
CREATE TABLE "RateCount" (
    "keyId" TEXT NOT NULL,
    "windowSeconds" INTEGER NOT NULL,
    "windowEnd" TIMESTAMP(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "RateCount_pkey" PRIMARY KEY ("keyId","windowSeconds","windowEnd")
);

-- CreateIndex
CREATE INDEX "RotatedSecret_keyId_idx" ON "RotatedSecret"("keyId");

-- CreateIndex
CREATE INDEX "RateCount_windowEnd_idx" ON "RateCount"("windowEnd");

-- CreateIndex
CREATE INDEX "ApiKey_external_id_idx" ON "ApiKey"("teamId", "externalId") WHERE ("externalId" IS NOT NULL);

-- CreateTable
CREATE TABLE "SecretUse" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "lastUsedAt" TIMESTAMP(3),

    CONSTRAINT "SecretUse_pkey" PRIMARY KEY ("keyId","version")
);

-- CreateTable
CREATE TABLE "SecretUsageHour" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "SecretUsageHour_pkey" PRIMARY KEY ("keyId","version","hour","code")
);

-- CreateTable
CREATE TABLE "ObservedSource" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "firstAt" TIMESTAMP(3) NOT NULL,
    "lastAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "ObservedSource_pkey" PRIMARY KEY ("keyId","version","address","code")
);

-- CreateIndex
CREATE INDEX "SecretUsageHour_hour_idx" ON "SecretUsageHour"("hour");

-- CreateIndex
CREATE INDEX "ObservedSource_lastAt_idx" ON "ObservedSource"("lastAt");

-- Makes changes by hand visible to every cache, as for "ApiKey". The service itself only inserts rows, and deletes those
-- of purged keys.
CREATE TRIGGER "RotatedSecret_manual_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "RotatedSecret" FOR EACH STATEMENT
  EXECUTE FUNCTION latchkey_manual_delete();
-- migration: 20261122110000_team_names
-- CreateTable
CREATE TABLE "Team" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "Team_pkey" PRIMARY KEY ("id")
);
-- migration: 20261122111957_rejected_hours
-- CreateTable
CREATE TABLE "RejectedHour" (
    "teamId" TEXT NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "keyId" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "RejectedHour_pkey" PRIMARY KEY ("teamId","hour","keyId","code")
);

-- CreateIndex
CREATE INDEX "RejectedHour_hour_idx" ON "RejectedHour"("hour");
-- migration: 20261123121052_bounded_lists
-- CreateIndex
CREATE INDEX "ApiKey_team_revoked_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC) WHERE ("revokedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ApiKey_name_unrevoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE ("revokedAt" IS NULL);

-- CreateIndex
CREATE INDEX "ApiKey_name_revoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE ("revokedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ApiKey_expiry_unrevoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE ("revokedAt" IS NULL);

-- CreateIndex
CREATE INDEX "ApiKey_expiry_revoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE ("revokedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ApiKey_previous_prefix_idx" ON "ApiKey"("previousPrefix", "teamId") WHERE ("previousPrefix" IS NOT NULL);

-- The use of secrets before the previous one, which is no longer shown. From now on, a rotation deletes it.
DELETE FROM "SecretUse" WHERE EXISTS (
    SELECT 1 FROM "ApiKey" WHERE "ApiKey"."id" = "SecretUse"."keyId" AND "SecretUse"."version" < "ApiKey"."secretVersion" - 1
);
-- migration: 20261123124500_unlisted_sources
-- Until now, the last 20 addresses of a secret were kept, and 100 of a key. Lists that are full may not be complete.
INSERT INTO "ObservedSource" ("keyId", "version", "address", "code", "count", "firstAt", "lastAt")
SELECT "keyId", 0, '::', 'VALID', 0, MIN("lastAt"), MIN("lastAt")
FROM "ObservedSource" GROUP BY "keyId" HAVING COUNT(DISTINCT "version" || ' ' || "address") >= 100
ON CONFLICT DO NOTHING;

INSERT INTO "ObservedSource" ("keyId", "version", "address", "code", "count", "firstAt", "lastAt")
SELECT "keyId", "version", '::', 'VALID', 0, MIN("lastAt"), MIN("lastAt")
FROM "ObservedSource" WHERE "address" <> '::'
GROUP BY "keyId", "version" HAVING COUNT(DISTINCT "address") >= 20
ON CONFLICT DO NOTHING;
-- migration: 20261124073048_add_description
-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "description" TEXT;
-- migration: 20261124161013_usage_days
-- CreateTable
CREATE TABLE "UsageDay" (
    "keyId" TEXT NOT NULL,
    "day" TIMESTAMP(3) NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "UsageDay_pkey" PRIMARY KEY ("keyId","day")
);

-- CreateIndex
CREATE INDEX "UsageDay_day_idx" ON "UsageDay"("day");

-- What was counted before, as far back as it can be read.
INSERT INTO "UsageDay" ("keyId", "day", "count")
SELECT "keyId", date_trunc('day', "hour"), SUM("count")
FROM "UsageHour" WHERE "hour" >= now() AT TIME ZONE 'UTC' - INTERVAL '31 days' GROUP BY 1, 2;
-- migration: 20261124161502_ended_sessions
-- CreateTable
CREATE TABLE "EndedSession" (
    "id" TEXT NOT NULL,
    "startedBy" TIMESTAMP(3),
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "EndedSession_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "EndedSession_expiresAt_idx" ON "EndedSession"("expiresAt");
-- migration: 20261126031056_events
-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN     "details" JSONB,
ADD COLUMN     "event" TEXT;

-- CreateTable
CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "types" JSONB NOT NULL,
    "form" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "secretEnvelope" TEXT NOT NULL,
    "secretVersion" INTEGER NOT NULL,
    "previousSecretEnvelope" TEXT,
    "previousSecretExpiresAt" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL,
    "disabledAt" TIMESTAMP(3),
    "disabledReason" TEXT,
    "cursor" BIGINT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Delivery" (
    "webhookId" TEXT NOT NULL,
    "revision" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "status" INTEGER,
    "error" TEXT,
    "durationMs" INTEGER,
    "responseBody" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "attemptedAt" TIMESTAMP(3),
    "nextAttemptAt" TIMESTAMP(3),

    CONSTRAINT "Delivery_pkey" PRIMARY KEY ("webhookId","revision")
);

-- CreateTable
CREATE TABLE "EventProgress" (
    "id" TEXT NOT NULL,
    "state" JSONB NOT NULL,

    CONSTRAINT "EventProgress_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EventWorker" (
    "id" INTEGER NOT NULL,
    "holder" TEXT NOT NULL,
    "beat" BIGINT NOT NULL,

    CONSTRAINT "EventWorker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Exposure" (
    "id" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Exposure_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LeakPolicy" (
    "teamId" TEXT NOT NULL,
    "policy" TEXT NOT NULL,

    CONSTRAINT "LeakPolicy_pkey" PRIMARY KEY ("teamId")
);

-- CreateIndex
CREATE INDEX "Webhook_teamId_createdAt_id_idx" ON "Webhook"("teamId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Delivery_due_idx" ON "Delivery"("webhookId", "nextAttemptAt", "revision") WHERE ("nextAttemptAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Delivery_createdAt_idx" ON "Delivery"("createdAt");

-- CreateIndex
CREATE INDEX "Exposure_keyId_idx" ON "Exposure"("keyId");

-- CreateIndex
CREATE INDEX "ApiKey_expiring_idx" ON "ApiKey"("expiresAt", "id") WHERE ("expiresAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ApiKey_overlap_idx" ON "ApiKey"("previousExpiresAt", "id") WHERE ("previousExpiresAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ApiKey_signing_overlap_idx" ON "ApiKey"("previousSigningExpiresAt", "id") WHERE ("previousSigningExpiresAt" IS NOT NULL);

-- The one row of the table. No instance delivers events yet.
INSERT INTO "EventWorker" ("id", "holder", "beat") VALUES (1, '', 0);
-- migration: 20261127235930_idempotency_by_value
-- AlterTable
ALTER TABLE "IdempotentCreate" ADD COLUMN "canonicalFingerprint" TEXT;
-- migration: 20261128000033_shared_prefixes
-- Imported keys can have the same prefix. The new index first: instances of the version before read by it too.

-- CreateIndex
CREATE INDEX "ApiKey_prefix_teamId_idx" ON "ApiKey"("prefix", "teamId");

-- DropIndex
DROP INDEX "ApiKey_prefix_teamId_key";
-- migration: 20261128000100_name_order
-- Written by hand; collations are not part of the data model.
--
-- Compares by code points, as SQLite does: the text is made to be sorted so. The collation of the database depends on
-- how the server was set up, and on the version of a library. Its indexes are built again, and until the commit no one can
-- read keys, so this migration comes last.
ALTER TABLE "ApiKey" ALTER COLUMN "searchText" SET DATA TYPE TEXT COLLATE "C";
-- migration: 20261128060000_first_imports
-- Written by hand. From this version on, the earliest import of a key alone decides. Before, of several imports of one key
-- by its two digests, a revoked one decided, then one that had rotated the secret: they become the earliest, in the same
-- order. The negative revisions also tell imports from before: if they are of several teams, the key stays rejected, as it
-- was. The start rejects a database in which such keys can be seen.
UPDATE "ApiKey"
SET "importRevision" = "importRevision" - CASE
  WHEN "revokedAt" IS NOT NULL THEN 6000000000000000 WHEN "secretVersion" > 1 THEN 4000000000000000 ELSE 2000000000000000 END
WHERE "importRevision" IS NOT NULL;
-- migration: 20261128070000_deliveries
-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "pausedUntil" TIMESTAMP(3);

-- CreateIndex
CREATE INDEX "Delivery_order_idx" ON "Delivery"("webhookId", "keyId", "revision") WHERE ("nextAttemptAt" IS NOT NULL);

-- migration: 20261121092306_init
-- CreateTable
CREATE TABLE "ApiKey" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "teamId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "env" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "pepperId" TEXT NOT NULL,
    "allowedIps" JSONB NOT NULL,
    "expiresAt" DATETIME,
    "createdAt" DATETIME NOT NULL,
    "revokedAt" DATETIME,
    "signingEnvelope" TEXT,
    "signingVersion" INTEGER NOT NULL DEFAULT 0,
    "searchText" TEXT NOT NULL,
    "revision" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "KeyUsage" (
    "keyId" TEXT NOT NULL PRIMARY KEY,
    "lastUsedAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "Revision" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "current" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "AuditEntry" (
    "revision" BIGINT NOT NULL PRIMARY KEY,
    "action" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "source" TEXT,
    "requestId" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "changes" JSONB NOT NULL
);

-- CreateTable
CREATE TABLE "RingKey" (
    "purpose" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,

    PRIMARY KEY ("purpose", "id")
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
CREATE INDEX "ApiKey_team_unrevoked_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC) WHERE "revokedAt" IS NULL;

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
    "hour" DATETIME NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("keyId", "hour", "code")
);

-- CreateIndex
CREATE INDEX "UsageHour_hour_idx" ON "UsageHour"("hour");
-- migration: 20261121115207_leases
-- AlterTable
ALTER TABLE "Revision" ADD COLUMN "leaseMs" INTEGER NOT NULL DEFAULT 0;
-- migration: 20261121152438_team_usage_hours
-- CreateTable
CREATE TABLE "TeamUsageHour" (
    "teamId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "code" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    PRIMARY KEY ("teamId", "hour", "code")
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
    "id" TEXT NOT NULL PRIMARY KEY,
    "fingerprint" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "IdempotentCreate_expiresAt_idx" ON "IdempotentCreate"("expiresAt");
-- migration: 20261121175138_imported_keys
-- AlterTable
ALTER TABLE "Revision" ADD COLUMN "imports" BOOLEAN NOT NULL DEFAULT false;
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
    (SELECT min(e."revision") FROM "AuditEntry" e WHERE e."keyId" = "ApiKey"."id" AND e."action" = 'KEY_IMPORTED')
WHERE "id" IN (SELECT "keyId" FROM "AuditEntry" WHERE "action" = 'KEY_IMPORTED');

-- CreateTable
CREATE TABLE "KeyConflict" (
    "keyId" TEXT NOT NULL,
    "otherKeyId" TEXT NOT NULL,
    "seenAt" DATETIME NOT NULL,

    PRIMARY KEY ("keyId", "otherKeyId")
);
-- migration: 20261122010000_manual_changes
-- Written by hand; triggers are not part of the data model. A migration that rebuilds "ApiKey" must create them again.
--
-- Makes changes by hand (an operator's UPDATE or DELETE) visible to every instance's cache. The service itself gives each
-- row that it writes a greater revision, so that the condition below keeps its own updates free of cost.
-- A cache that finds the revision more than 10,000 ahead forgets everything, also in versions from before this migration.

CREATE TRIGGER "ApiKey_manual_update" AFTER UPDATE ON "ApiKey" FOR EACH ROW
WHEN NEW."revision" <= OLD."revision"
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
  UPDATE "ApiKey" SET "revision" = (SELECT "current" FROM "Revision" WHERE "id" = 1) WHERE "id" = NEW."id";
END;

CREATE TRIGGER "ApiKey_manual_delete" AFTER DELETE ON "ApiKey" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
END;
-- migration: 20261122011717_purge
-- CreateIndex
CREATE INDEX "ApiKey_revoked_idx" ON "ApiKey"("revokedAt") WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "AuditEntry_at_idx" ON "AuditEntry"("at");
-- migration: 20261122014331_actor_kinds
-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN "actorKind" TEXT;
-- migration: 20261122015304_opaque_ids
-- AlterTable
ALTER TABLE "Revision" ADD COLUMN "idSecret" TEXT NOT NULL DEFAULT '';

UPDATE "Revision" SET "idSecret" = lower(hex(randomblob(32)));
-- migration: 20261122082339_key_features
-- Written by hand: Prisma would copy the whole table, and drop its triggers, for the default of a JSON column.

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "secretVersion" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "ApiKey" ADD COLUMN "rotatedAt" DATETIME;
ALTER TABLE "ApiKey" ADD COLUMN "previousPrefix" TEXT;
ALTER TABLE "ApiKey" ADD COLUMN "previousExpiresAt" DATETIME;
ALTER TABLE "ApiKey" ADD COLUMN "previousSigningEnvelope" TEXT;
ALTER TABLE "ApiKey" ADD COLUMN "previousSigningVersion" INTEGER;
ALTER TABLE "ApiKey" ADD COLUMN "previousSigningExpiresAt" DATETIME;
ALTER TABLE "ApiKey" ADD COLUMN "disabledAt" DATETIME;
ALTER TABLE "ApiKey" ADD COLUMN "scopes" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "ApiKey" ADD COLUMN "externalId" TEXT;
ALTER TABLE "ApiKey" ADD COLUMN "tags" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "ApiKey" ADD COLUMN "metadata" JSONB;
ALTER TABLE "ApiKey" ADD COLUMN "rateLimit" INTEGER;
ALTER TABLE "ApiKey" ADD COLUMN "rateLimitWindowSeconds" INTEGER;

-- CreateIndex
CREATE INDEX "ApiKey_external_id_idx" ON "ApiKey"("teamId", "externalId") WHERE "externalId" IS NOT NULL;

-- CreateTable
CREATE TABLE "RotatedSecret" (
    "digest" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "teamId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "prefix" TEXT NOT NULL,
    "pepperId" TEXT NOT NULL,
    "rotatedAt" DATETIME NOT NULL,

    PRIMARY KEY ("digest", "keyId")
);

-- CreateIndex
CREATE INDEX "RotatedSecret_keyId_idx" ON "RotatedSecret"("keyId");

-- CreateTable
CREATE TABLE "SecretUse" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "lastUsedAt" DATETIME,

    PRIMARY KEY ("keyId", "version")
);

-- CreateTable
CREATE TABLE "SecretUsageHour" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "hour" DATETIME NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("keyId", "version", "hour", "code")
);

-- CreateTable
CREATE TABLE "ObservedSource" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "firstAt" DATETIME NOT NULL,
    "lastAt" DATETIME NOT NULL,

    PRIMARY KEY ("keyId", "version", "address", "code")
);

-- CreateIndex
CREATE INDEX "SecretUsageHour_hour_idx" ON "SecretUsageHour"("hour");

-- CreateIndex
CREATE INDEX "ObservedSource_lastAt_idx" ON "ObservedSource"("lastAt");
CREATE TABLE "RateCount" (
    "keyId" TEXT NOT NULL,
    "windowSeconds" INTEGER NOT NULL,
    "windowEnd" DATETIME NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("keyId", "windowSeconds", "windowEnd")
);

-- CreateIndex
CREATE INDEX "RateCount_windowEnd_idx" ON "RateCount"("windowEnd");

-- Makes changes by hand visible to every cache, as for "ApiKey". The service itself only inserts rows, and deletes those
-- of purged keys.
CREATE TRIGGER "RotatedSecret_manual_update" AFTER UPDATE ON "RotatedSecret" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
END;

CREATE TRIGGER "RotatedSecret_manual_delete" AFTER DELETE ON "RotatedSecret" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
END;
-- migration: 20261122110000_team_names
-- CreateTable
CREATE TABLE "Team" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL
);
-- migration: 20261122111957_rejected_hours
-- CreateTable
CREATE TABLE "RejectedHour" (
    "teamId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "keyId" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("teamId", "hour", "keyId", "code")
);

-- CreateIndex
CREATE INDEX "RejectedHour_hour_idx" ON "RejectedHour"("hour");
-- migration: 20261123121052_bounded_lists
-- CreateIndex
CREATE INDEX "ApiKey_team_revoked_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC) WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_name_unrevoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE "revokedAt" IS NULL;

-- CreateIndex
CREATE INDEX "ApiKey_name_revoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_expiry_unrevoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE "revokedAt" IS NULL;

-- CreateIndex
CREATE INDEX "ApiKey_expiry_revoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE "revokedAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_previous_prefix_idx" ON "ApiKey"("previousPrefix", "teamId") WHERE "previousPrefix" IS NOT NULL;

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
ALTER TABLE "ApiKey" ADD COLUMN "description" TEXT;
-- migration: 20261124161013_usage_days
-- CreateTable
CREATE TABLE "UsageDay" (
    "keyId" TEXT NOT NULL,
    "day" DATETIME NOT NULL,
    "count" BIGINT NOT NULL,

    PRIMARY KEY ("keyId", "day")
);

-- CreateIndex
CREATE INDEX "UsageDay_day_idx" ON "UsageDay"("day");

-- What was counted before, as far back as it can be read.
INSERT INTO "UsageDay" ("keyId", "day", "count")
SELECT "keyId", substr("hour", 1, 10) || 'T00:00:00.000+00:00' AS "day", SUM("count")
FROM "UsageHour" WHERE "hour" >= date('now', '-31 days') GROUP BY 1, 2;
-- migration: 20261124161502_ended_sessions
-- CreateTable
CREATE TABLE "EndedSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "startedBy" DATETIME,
    "expiresAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "EndedSession_expiresAt_idx" ON "EndedSession"("expiresAt");
-- migration: 20261126031056_events
-- AlterTable
ALTER TABLE "AuditEntry" ADD COLUMN "details" JSONB;
ALTER TABLE "AuditEntry" ADD COLUMN "event" TEXT;

-- CreateTable
CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "teamId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "types" JSONB NOT NULL,
    "form" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "secretEnvelope" TEXT NOT NULL,
    "secretVersion" INTEGER NOT NULL,
    "previousSecretEnvelope" TEXT,
    "previousSecretExpiresAt" DATETIME,
    "createdAt" DATETIME NOT NULL,
    "disabledAt" DATETIME,
    "disabledReason" TEXT,
    "cursor" BIGINT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1
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
    "createdAt" DATETIME NOT NULL,
    "attemptedAt" DATETIME,
    "nextAttemptAt" DATETIME,

    PRIMARY KEY ("webhookId", "revision")
);

-- CreateTable
CREATE TABLE "EventProgress" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "state" JSONB NOT NULL
);

-- CreateTable
CREATE TABLE "EventWorker" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "holder" TEXT NOT NULL,
    "beat" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Exposure" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "keyId" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "LeakPolicy" (
    "teamId" TEXT NOT NULL PRIMARY KEY,
    "policy" TEXT NOT NULL
);

-- CreateIndex
CREATE INDEX "Webhook_teamId_createdAt_id_idx" ON "Webhook"("teamId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Delivery_due_idx" ON "Delivery"("webhookId", "nextAttemptAt", "revision") WHERE "nextAttemptAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "Delivery_createdAt_idx" ON "Delivery"("createdAt");

-- CreateIndex
CREATE INDEX "Exposure_keyId_idx" ON "Exposure"("keyId");

-- CreateIndex
CREATE INDEX "ApiKey_expiring_idx" ON "ApiKey"("expiresAt", "id") WHERE "expiresAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_overlap_idx" ON "ApiKey"("previousExpiresAt", "id") WHERE "previousExpiresAt" IS NOT NULL;

-- CreateIndex
CREATE INDEX "ApiKey_signing_overlap_idx" ON "ApiKey"("previousSigningExpiresAt", "id") WHERE "previousSigningExpiresAt" IS NOT NULL;

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
ALTER TABLE "Webhook" ADD COLUMN "pausedUntil" DATETIME;

-- CreateIndex
CREATE INDEX "Delivery_order_idx" ON "Delivery"("webhookId", "keyId", "revision") WHERE "nextAttemptAt" IS NOT NULL;

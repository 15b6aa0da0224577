-- The schema of 0.2.0. Triggers are written by hand: they are not part of the data model.

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
, "importRevision" BIGINT, "secretVersion" INTEGER NOT NULL DEFAULT 1, "rotatedAt" DATETIME, "previousPrefix" TEXT, "previousExpiresAt" DATETIME, "previousSigningEnvelope" TEXT, "previousSigningVersion" INTEGER, "previousSigningExpiresAt" DATETIME, "disabledAt" DATETIME, "scopes" JSONB NOT NULL DEFAULT '[]', "externalId" TEXT, "tags" JSONB NOT NULL DEFAULT '[]', "metadata" JSONB, "rateLimit" INTEGER, "rateLimitWindowSeconds" INTEGER, "description" TEXT);

CREATE TABLE "KeyUsage" (
    "keyId" TEXT NOT NULL PRIMARY KEY,
    "lastUsedAt" DATETIME NOT NULL
);

CREATE TABLE "Revision" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "current" BIGINT NOT NULL
, "leaseMs" INTEGER NOT NULL DEFAULT 0, "imports" BOOLEAN NOT NULL DEFAULT false, "idSecret" TEXT NOT NULL DEFAULT '');

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
, "actorKind" TEXT, "details" JSONB, "event" TEXT);

CREATE TABLE "RingKey" (
    "purpose" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,

    PRIMARY KEY ("purpose", "id")
);

CREATE UNIQUE INDEX "ApiKey_revision_key" ON "ApiKey"("revision");

CREATE INDEX "ApiKey_team_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC);

CREATE INDEX "ApiKey_team_unrevoked_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC) WHERE "revokedAt" IS NULL;

CREATE INDEX "AuditEntry_teamId_revision_idx" ON "AuditEntry"("teamId", "revision" DESC);

CREATE INDEX "AuditEntry_keyId_revision_idx" ON "AuditEntry"("keyId", "revision" DESC);

CREATE TABLE "UsageHour" (
    "keyId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("keyId", "hour", "code")
);

CREATE INDEX "UsageHour_hour_idx" ON "UsageHour"("hour");

CREATE TABLE "TeamUsageHour" (
    "teamId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "code" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    PRIMARY KEY ("teamId", "hour", "code")
);

CREATE INDEX "TeamUsageHour_hour_idx" ON "TeamUsageHour"("hour");

CREATE TABLE "IdempotentCreate" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "fingerprint" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL
, "canonicalFingerprint" TEXT);

CREATE INDEX "IdempotentCreate_expiresAt_idx" ON "IdempotentCreate"("expiresAt");

CREATE UNIQUE INDEX "ApiKey_digest_teamId_key" ON "ApiKey"("digest", "teamId");

CREATE TABLE "KeyConflict" (
    "keyId" TEXT NOT NULL,
    "otherKeyId" TEXT NOT NULL,
    "seenAt" DATETIME NOT NULL,

    PRIMARY KEY ("keyId", "otherKeyId")
);

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

CREATE INDEX "ApiKey_revoked_idx" ON "ApiKey"("revokedAt") WHERE "revokedAt" IS NOT NULL;

CREATE INDEX "AuditEntry_at_idx" ON "AuditEntry"("at");

CREATE INDEX "ApiKey_external_id_idx" ON "ApiKey"("teamId", "externalId") WHERE "externalId" IS NOT NULL;

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

CREATE INDEX "RotatedSecret_keyId_idx" ON "RotatedSecret"("keyId");

CREATE TABLE "SecretUse" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "lastUsedAt" DATETIME,

    PRIMARY KEY ("keyId", "version")
);

CREATE TABLE "SecretUsageHour" (
    "keyId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "hour" DATETIME NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("keyId", "version", "hour", "code")
);

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

CREATE INDEX "SecretUsageHour_hour_idx" ON "SecretUsageHour"("hour");

CREATE INDEX "ObservedSource_lastAt_idx" ON "ObservedSource"("lastAt");

CREATE TABLE "RateCount" (
    "keyId" TEXT NOT NULL,
    "windowSeconds" INTEGER NOT NULL,
    "windowEnd" DATETIME NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("keyId", "windowSeconds", "windowEnd")
);

CREATE INDEX "RateCount_windowEnd_idx" ON "RateCount"("windowEnd");

CREATE TRIGGER "RotatedSecret_manual_update" AFTER UPDATE ON "RotatedSecret" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
END;

CREATE TRIGGER "RotatedSecret_manual_delete" AFTER DELETE ON "RotatedSecret" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
END;

CREATE TABLE "Team" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL
);

CREATE TABLE "RejectedHour" (
    "teamId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "keyId" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("teamId", "hour", "keyId", "code")
);

CREATE INDEX "RejectedHour_hour_idx" ON "RejectedHour"("hour");

CREATE INDEX "ApiKey_team_revoked_idx" ON "ApiKey"("teamId", "createdAt" DESC, "id" DESC) WHERE "revokedAt" IS NOT NULL;

CREATE INDEX "ApiKey_name_unrevoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE "revokedAt" IS NULL;

CREATE INDEX "ApiKey_name_revoked_idx" ON "ApiKey"("teamId", "searchText", "id") WHERE "revokedAt" IS NOT NULL;

CREATE INDEX "ApiKey_expiry_unrevoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE "revokedAt" IS NULL;

CREATE INDEX "ApiKey_expiry_revoked_idx" ON "ApiKey"("teamId", "expiresAt", "id") WHERE "revokedAt" IS NOT NULL;

CREATE INDEX "ApiKey_previous_prefix_idx" ON "ApiKey"("previousPrefix", "teamId") WHERE "previousPrefix" IS NOT NULL;

CREATE TABLE "UsageDay" (
    "keyId" TEXT NOT NULL,
    "day" DATETIME NOT NULL,
    "count" BIGINT NOT NULL,

    PRIMARY KEY ("keyId", "day")
);

CREATE INDEX "UsageDay_day_idx" ON "UsageDay"("day");

CREATE TABLE "EndedSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "startedBy" DATETIME,
    "expiresAt" DATETIME NOT NULL
);

CREATE INDEX "EndedSession_expiresAt_idx" ON "EndedSession"("expiresAt");

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
, "pausedUntil" DATETIME);

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

CREATE TABLE "EventProgress" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "state" JSONB NOT NULL
);

CREATE TABLE "EventWorker" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "holder" TEXT NOT NULL,
    "beat" BIGINT NOT NULL
);

CREATE TABLE "Exposure" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "keyId" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);

CREATE TABLE "LeakPolicy" (
    "teamId" TEXT NOT NULL PRIMARY KEY,
    "policy" TEXT NOT NULL
);

CREATE INDEX "Webhook_teamId_createdAt_id_idx" ON "Webhook"("teamId", "createdAt", "id");

CREATE INDEX "Delivery_due_idx" ON "Delivery"("webhookId", "nextAttemptAt", "revision") WHERE "nextAttemptAt" IS NOT NULL;

CREATE INDEX "Delivery_createdAt_idx" ON "Delivery"("createdAt");

CREATE INDEX "Exposure_keyId_idx" ON "Exposure"("keyId");

CREATE INDEX "ApiKey_expiring_idx" ON "ApiKey"("expiresAt", "id") WHERE "expiresAt" IS NOT NULL;

CREATE INDEX "ApiKey_overlap_idx" ON "ApiKey"("previousExpiresAt", "id") WHERE "previousExpiresAt" IS NOT NULL;

CREATE INDEX "ApiKey_signing_overlap_idx" ON "ApiKey"("previousSigningExpiresAt", "id") WHERE "previousSigningExpiresAt" IS NOT NULL;

CREATE INDEX "ApiKey_prefix_teamId_idx" ON "ApiKey"("prefix", "teamId");

CREATE INDEX "Delivery_order_idx" ON "Delivery"("webhookId", "keyId", "revision") WHERE "nextAttemptAt" IS NOT NULL;

-- The rows that every database has. 244 of the 256 bits of `idSecret` are random at least.
INSERT INTO "Revision" ("id", "current", "idSecret") VALUES (1, 0, lower(hex(randomblob(32))));
INSERT INTO "EventWorker" ("id", "holder", "beat") VALUES (1, '', 0);

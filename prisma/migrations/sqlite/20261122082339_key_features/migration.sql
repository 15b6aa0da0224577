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

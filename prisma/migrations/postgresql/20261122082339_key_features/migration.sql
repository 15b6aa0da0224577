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

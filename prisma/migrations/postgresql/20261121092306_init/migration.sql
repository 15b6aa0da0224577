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

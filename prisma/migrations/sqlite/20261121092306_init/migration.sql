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

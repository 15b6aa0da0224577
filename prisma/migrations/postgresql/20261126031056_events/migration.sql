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

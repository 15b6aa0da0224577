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

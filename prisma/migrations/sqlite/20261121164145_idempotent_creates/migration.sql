-- CreateTable
CREATE TABLE "IdempotentCreate" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "fingerprint" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "IdempotentCreate_expiresAt_idx" ON "IdempotentCreate"("expiresAt");

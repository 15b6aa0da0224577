-- Written by hand and no part of the data model: on SQLite, the nonces are in a file of their own (sqlite-nonces.ts).
CREATE TABLE "SignatureNonce" (
    "keyId" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SignatureNonce_pkey" PRIMARY KEY ("keyId", "nonce")
);

CREATE INDEX "SignatureNonce_expiresAt_idx" ON "SignatureNonce"("expiresAt");

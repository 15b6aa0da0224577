-- AlterTable
ALTER TABLE "IdempotentCreate" ADD COLUMN "canonicalFingerprint" TEXT;

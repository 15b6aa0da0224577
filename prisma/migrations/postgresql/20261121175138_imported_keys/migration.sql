-- AlterEnum
ALTER TYPE "AuditAction" ADD VALUE 'KEY_IMPORTED';

-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "imports" BOOLEAN NOT NULL DEFAULT false;

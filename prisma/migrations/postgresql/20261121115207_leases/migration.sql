-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "leaseMs" INTEGER NOT NULL DEFAULT 0;

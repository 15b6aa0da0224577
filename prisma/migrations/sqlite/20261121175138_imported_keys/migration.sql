-- AlterTable
ALTER TABLE "Revision" ADD COLUMN "imports" BOOLEAN NOT NULL DEFAULT false;

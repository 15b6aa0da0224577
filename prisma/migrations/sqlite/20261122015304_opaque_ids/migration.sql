-- AlterTable
ALTER TABLE "Revision" ADD COLUMN "idSecret" TEXT NOT NULL DEFAULT '';

UPDATE "Revision" SET "idSecret" = lower(hex(randomblob(32)));

-- AlterTable
ALTER TABLE "Revision" ADD COLUMN     "idSecret" TEXT NOT NULL DEFAULT '';

-- 244 of the 256 bits are random.
UPDATE "Revision" SET "idSecret" = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');

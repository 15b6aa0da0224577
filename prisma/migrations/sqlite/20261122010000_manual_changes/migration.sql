-- Written by hand; triggers are not part of the data model. A migration that rebuilds "ApiKey" must create them again.
--
-- Makes changes by hand (an operator's UPDATE or DELETE) visible to every instance's cache. The service itself gives each
-- row that it writes a greater revision, so that the condition below keeps its own updates free of cost.
-- A cache that finds the revision more than 10,000 ahead forgets everything, also in versions from before this migration.

CREATE TRIGGER "ApiKey_manual_update" AFTER UPDATE ON "ApiKey" FOR EACH ROW
WHEN NEW."revision" <= OLD."revision"
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
  UPDATE "ApiKey" SET "revision" = (SELECT "current" FROM "Revision" WHERE "id" = 1) WHERE "id" = NEW."id";
END;

CREATE TRIGGER "ApiKey_manual_delete" AFTER DELETE ON "ApiKey" FOR EACH ROW
BEGIN
  UPDATE "Revision" SET "current" = "current" + 10001 WHERE "id" = 1;
END;

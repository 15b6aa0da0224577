-- Written by hand; triggers are not part of the data model.
--
-- Makes changes by hand (an operator's UPDATE, DELETE or TRUNCATE) visible to every instance's cache. The service itself
-- gives each row that it writes a greater revision, so that the condition below keeps its own updates free of cost.
-- A cache that finds the revision more than 10,000 ahead forgets everything, also in versions from before this migration.

CREATE FUNCTION latchkey_manual_update() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- The last revision that this transaction has given to a row. To raise "Revision" for each row instead would take time
  -- with the square of their number.
  last bigint := nullif(current_setting('latchkey.last_revision', true), '')::bigint;
BEGIN
  IF last IS NULL THEN
    EXECUTE format('UPDATE %I."Revision" SET "current" = "current" + 100000000 WHERE "id" = 1
      RETURNING "current" - 100000000', TG_TABLE_SCHEMA) INTO STRICT last;
  END IF;
  NEW."revision" := last + 1;
  PERFORM set_config('latchkey.last_revision', NEW."revision"::text, true);
  RETURN NEW;
END $$;

CREATE TRIGGER "ApiKey_manual_update" BEFORE UPDATE ON "ApiKey" FOR EACH ROW
  WHEN (NEW."revision" <= OLD."revision") EXECUTE FUNCTION latchkey_manual_update();

CREATE FUNCTION latchkey_manual_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE %I."Revision" SET "current" = "current" + 10001 WHERE "id" = 1', TG_TABLE_SCHEMA);
  RETURN NULL;
END $$;

-- Before the rows: in the order in which the service takes its locks.
CREATE TRIGGER "ApiKey_manual_delete" BEFORE DELETE OR TRUNCATE ON "ApiKey" FOR EACH STATEMENT
  EXECUTE FUNCTION latchkey_manual_delete();

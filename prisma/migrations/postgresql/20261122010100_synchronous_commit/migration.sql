-- Written by hand; triggers are not part of the data model.
--
-- An answered change must survive a crash and, where standbys are synchronous, a failover, also where the role or the
-- database has another synchronous_commit. A trigger does this for each transaction, whatever pooler is in between; it
-- runs only where the setting is too weak.

CREATE FUNCTION latchkey_commit_synchronously() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'on', true);
  RETURN NULL;
END $$;

-- Every change of a key takes a revision.
CREATE TRIGGER "Revision_synchronous_commit" AFTER UPDATE ON "Revision" FOR EACH STATEMENT
  WHEN (current_setting('synchronous_commit') NOT IN ('on', 'remote_apply'))
  EXECUTE FUNCTION latchkey_commit_synchronously();

CREATE TRIGGER "SignatureNonce_synchronous_commit" AFTER INSERT ON "SignatureNonce" FOR EACH STATEMENT
  WHEN (current_setting('synchronous_commit') NOT IN ('on', 'remote_apply'))
  EXECUTE FUNCTION latchkey_commit_synchronously();

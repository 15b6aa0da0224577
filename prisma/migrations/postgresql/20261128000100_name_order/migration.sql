-- Written by hand; collations are not part of the data model.
--
-- Compares by code points, as SQLite does: the text is made to be sorted so. The collation of the database depends on
-- how the server was set up, and on the version of a library. Its indexes are built again, and until the commit no one can
-- read keys, so this migration comes last.
ALTER TABLE "ApiKey" ALTER COLUMN "searchText" SET DATA TYPE TEXT COLLATE "C";

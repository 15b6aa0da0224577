-- Until now, the last 20 addresses of a secret were kept, and 100 of a key. Lists that are full may not be complete.
INSERT INTO "ObservedSource" ("keyId", "version", "address", "code", "count", "firstAt", "lastAt")
SELECT "keyId", 0, '::', 'VALID', 0, MIN("lastAt"), MIN("lastAt")
FROM "ObservedSource" GROUP BY "keyId" HAVING COUNT(DISTINCT "version" || ' ' || "address") >= 100
ON CONFLICT DO NOTHING;

INSERT INTO "ObservedSource" ("keyId", "version", "address", "code", "count", "firstAt", "lastAt")
SELECT "keyId", "version", '::', 'VALID', 0, MIN("lastAt"), MIN("lastAt")
FROM "ObservedSource" WHERE "address" <> '::'
GROUP BY "keyId", "version" HAVING COUNT(DISTINCT "address") >= 20
ON CONFLICT DO NOTHING;

-- CreateTable
CREATE TABLE "UsageDay" (
    "keyId" TEXT NOT NULL,
    "day" DATETIME NOT NULL,
    "count" BIGINT NOT NULL,

    PRIMARY KEY ("keyId", "day")
);

-- CreateIndex
CREATE INDEX "UsageDay_day_idx" ON "UsageDay"("day");

-- What was counted before, as far back as it can be read.
INSERT INTO "UsageDay" ("keyId", "day", "count")
SELECT "keyId", substr("hour", 1, 10) || 'T00:00:00.000+00:00' AS "day", SUM("count")
FROM "UsageHour" WHERE "hour" >= date('now', '-31 days') GROUP BY 1, 2;

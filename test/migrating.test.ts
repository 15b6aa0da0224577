/** docs/tasks/migrating.md: an API verifies keys here first, and falls back to its old check for those that are not imported. */
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importKeys } from '../src/manage/import/import-keys.ts';

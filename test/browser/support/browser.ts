/** The Chromium that is installed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Throws without a Chromium: a skipped test would prove nothing about the dashboard. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find(isExecutable);
  if (executablePath === undefined) {
    throw new Error('No Chromium is installed. On Debian: apt-get install --no-install-recommends chromium');
  }
  // Chromium's own sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await chromium.launch({ executablePath, args });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser of this worker, for all of its test files. Playwright ends it with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

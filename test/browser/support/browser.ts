/** The Chromium that is installed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Throws without a Chromium: a skipped test would prove nothing about the dashboard. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return await chromium.launch(launchOptions(args));
}

/** Starts a browser that keeps its history and cookies in a directory. */
export async function launchWithProfile(directory: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(directory, launchOptions());
}

function launchOptions(args: readonly string[] = []): LaunchOptions {
  const executablePath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find(isExecutable);
  if (executablePath === undefined) {
    throw new Error('No Chromium is installed. On Debian: apt-get install --no-install-recommends chromium');
  }
  // Chromium's own sandbox does not work for root.
  return { executablePath, args: [...args, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] };
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

/** The Chromium that is installed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core';

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** The same engine without windows and history, which needs a third less processor time. */
const headlessShells = ['chromium-headless-shell', 'chrome-headless-shell'];

/** Throws without a Chromium: a skipped test would prove nothing about the dashboard. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return await chromium.launch(launchOptions([...headlessShells, ...browsers], args));
}

/** Starts a browser that keeps its history and cookies in a directory. */
export async function launchWithProfile(directory: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(directory, launchOptions(browsers));
}

function launchOptions(names: readonly string[], args: readonly string[] = []): LaunchOptions {
  const directories = (process.env.PATH ?? '').split(delimiter);
  const executablePath = names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
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

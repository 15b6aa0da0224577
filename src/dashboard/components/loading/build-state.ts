/** Detects that an upgrade has replaced the files of this page on the server. */

export type BuildState = 'same' | 'upgraded' | 'unreachable';

export const loadFailures: Readonly<Record<BuildState, string>> = {
  unreachable: 'The server can’t be reached. Check that it is running.',
  upgraded: 'The server has been upgraded. Load the page again to use the new version.',
  same: 'The connection to the server may have been interrupted.',
};

const failures = new WeakSet<object>();
const reloadedAtKey = 'latchkey-reloaded-at';
/** Prevents a loop of reloads while instances of two versions share one address. */
const reloadPauseMs = 60_000;

// Vite sends this event before the import of a part of the page fails.
addEventListener('vite:preloadError', ({ payload }) => failures.add(payload));

export function isLoadFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failures.has(error);
}

export async function buildState(): Promise<BuildState> {
  try {
    const response = await fetch(location.pathname, { cache: 'no-store' });
    if (!response.ok) return 'unreachable';
    // As text, because the Content-Security-Policy of this page does not allow the styles of another one.
    const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(await response.text()) ?? [];
    const own = document.querySelector('script[type=module]')?.getAttribute('src');
    return script === own ? 'same' : 'upgraded';
  } catch {
    return 'unreachable';
  }
}

/** Reloads the page, unless this function reloaded it in the last minute. */
export function reloadOnce(): void {
  const last = Number(sessionStorage.getItem(reloadedAtKey));
  if (Date.now() - last < reloadPauseMs) return;
  sessionStorage.setItem(reloadedAtKey, String(Date.now()));
  location.reload();
}

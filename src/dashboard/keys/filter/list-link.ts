/** The last list of keys that this tab showed of each team, so that other pages lead back to it. */

interface List {
  /** The filter, order and page, as in the URL of the list. */
  readonly search: string;
  /** The cursors of the pages before, as far as they are known. */
  readonly cursors: readonly string[];
}

const storageKey = (teamId: string) => `latchkey-last-list:${teamId}`;

export function rememberList(teamId: string, list: List): void {
  sessionStorage.setItem(storageKey(teamId), JSON.stringify(list));
}

export function lastList(teamId: string): List {
  const stored = sessionStorage.getItem(storageKey(teamId));
  return stored === null ? { search: '', cursors: [] } : JSON.parse(stored);
}

export function useListLink(teamId: string): string {
  return `/teams/${teamId}/keys${lastList(teamId).search}`;
}

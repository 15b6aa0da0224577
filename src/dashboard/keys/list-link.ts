/** The last list of keys that this tab showed of each team, so that other pages lead back to it. */

const storageKey = (teamId: string) => `latchkey-list:${teamId}`;

/** @param search the filter, order and page, as in the URL of the list */
export function rememberList(teamId: string, search: string): void {
  sessionStorage.setItem(storageKey(teamId), search);
}

/** Returns the address of the list as it was last shown. */
export function useListLink(teamId: string): string {
  return `/teams/${teamId}/keys${sessionStorage.getItem(storageKey(teamId)) ?? ''}`;
}

/** The address of the list of keys that the user came from. */
export function useListLink(teamId: string): string {
  return `/teams/${teamId}/keys`;
}

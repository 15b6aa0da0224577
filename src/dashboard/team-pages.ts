/** The pages of a team that the navigation and the commands lead to. */
export const teamPages = [
  { path: 'keys', label: 'Keys' },
  { path: 'overview', label: 'Overview' },
  { path: 'try', label: 'Try a key' },
  { path: 'audit', label: 'Audit' },
  { path: 'import', label: 'Import' },
] as const;

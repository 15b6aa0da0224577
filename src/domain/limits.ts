/** The maximum sizes of what a caller may send. docs/rest.md lists them. */
export const limits = {
  nameCharacters: 100,
  searchCharacters: 100,
  presentedCharacters: 1000,
  allowedSources: 100,
  allowedSourceCharacters: 255,
  pageSize: 500,
  importedKeys: 200,
  idempotencyKeyCharacters: 255,
} as const;

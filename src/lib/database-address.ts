/** The address of the store: a file of SQLite, or a PostgreSQL server. */
export type DatabaseAddress =
  | { readonly provider: 'sqlite'; readonly file: string }
  | { readonly provider: 'postgresql'; readonly url: string };

export type DatabaseProvider = DatabaseAddress['provider'];

/** Parses `file:<path>` and `postgresql://…`. Returns null for anything else. */
export function parseDatabaseUrl(value: string): DatabaseAddress | null {
  if (/^file:./.test(value)) return { provider: 'sqlite', file: value.slice('file:'.length) };
  if (!/^postgres(?:ql)?:\/\//.test(value) || !URL.canParse(value)) return null;
  // PostgreSQL ignores Prisma's parameter `schema`: keys would be stored in another schema than intended.
  const schema = new URL(value).searchParams.get('schema') ?? 'public';
  return schema === 'public' ? { provider: 'postgresql', url: value } : null;
}

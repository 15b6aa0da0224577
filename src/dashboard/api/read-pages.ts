export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

export async function readPages<Node>(
  read: (after: string | null) => Promise<Page<Node>>,
  onProgress?: (count: number) => void,
): Promise<Node[]> {
  const all: Node[] = [];
  let after: string | null = null;
  for (;;) {
    const { nodes, pageInfo }: Page<Node> = await read(after);
    all.push(...nodes);
    onProgress?.(all.length);
    if (!pageInfo.hasNextPage || pageInfo.endCursor == null) return all;
    after = pageInfo.endCursor;
  }
}

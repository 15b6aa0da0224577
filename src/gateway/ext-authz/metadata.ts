import type { Metadata } from '@grpc/grpc-js';

/** Returns the value of metadata. Node.js joins repeated values, so that two tokens are not one that is accepted. */
export function metadataValue(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

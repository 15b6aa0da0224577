import type { Metadata } from '@grpc/grpc-js';

/** Returns the value of metadata that was sent once. */
export function singleValue(metadata: Metadata, name: string): string | undefined {
  const [value, ...repeated] = metadata.get(name);
  return typeof value === 'string' && repeated.length === 0 ? value : undefined;
}

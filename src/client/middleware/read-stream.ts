/** Returns all bytes of a stream, or null as soon as there are more than the limit. Uses web standards only. */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  limitBytes: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    length += value.length;
    if (length > limitBytes) {
      // Not awaited: the branches of a cloned body are only cancelled once both are.
      void reader?.cancel().catch(() => {});
      return null;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Far more than the documents and answers of identity providers have. */
const maxBytes = 1_000_000;

/** Fetches like `fetch`. Reading the body fails after a million bytes, so that no answer fills the memory. */
export async function boundedFetch(url: string, options?: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new TypeError('the answer is too large'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(bounded) ?? null, response);
}

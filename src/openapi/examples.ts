/** One key, as it appears in all examples: by the names of the fields that it is told in. */
export const examples = {
  id: '0b9f8f0e-5c1a-4c5e-9c53-6f2f4d1a7b10',
  keyId: '0b9f8f0e-5c1a-4c5e-9c53-6f2f4d1a7b10',
  teamId: '5a3c7f60-9a52-4b6e-8f0e-1f0a2b3c4d5e',
  name: 'CI of the shop',
  env: 'live',
  prefix: 'lk_live_4fJx81Qz',
  secret: `lk_live_4fJx81Qz_${'0123456789'.repeat(4)}012abcdef`,
  signingSecret: '8f3a'.repeat(16),
  allowedIps: ['203.0.113.0/24 # the office', 'build.example.com'],
  expiresAt: '2099-01-31T12:00:00.000Z',
  lastUsedAt: '2026-03-01T12:00:00.250Z',
  createdAt: '2026-01-31T09:30:00.000Z',
  idempotencyKey: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
  etag: '"pEBlwU0dVvV0sUuyJ1nJ7g"',
  requestId: '7d0c2b7e-2f5d-4e3b-8a76-5b0f6a1c9d42',
} as const;

type ExampleName = keyof typeof examples;

/** Those of an object schema's fields that the examples have, in its order. */
export function exampleOf(schema: { readonly [keyword: string]: unknown }): unknown {
  if (schema.type === 'array' && isSchema(schema.items)) return [exampleOf(schema.items)];
  const names = isSchema(schema.properties) ? Object.keys(schema.properties) : [];
  return Object.fromEntries(
    names.filter((name): name is ExampleName => name in examples).map((name) => [name, examples[name]]),
  );
}

function isSchema(value: unknown): value is { readonly [keyword: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/** The OpenAPI description of both ports, but for GraphQL: made of what serves it, so that it can't say otherwise. */
import { healthPaths } from './health-paths.ts';
import type { JsonSchema } from './json-schema.ts';
import { headers, problemSchemas } from './refusals.ts';
import { restPaths } from './rest-paths.ts';
import { verificationPaths } from './verification-paths.ts';

export const openApiPath = '/openapi.json';

const description = `Latchkey manages a team's API keys and says, for every request that presents one, whether it may pass.

There are two ports: the management port, which takes session tokens, and the verification port, which APIs and their gateways ask.

**Refusals** are problem details (RFC 9457) whose \`code\` is for programs. A path that is not here is NOT_FOUND (404), another method METHOD_NOT_ALLOWED (405, with \`Allow\`). What is no HTTP at all, or comes too slowly, is refused by Node itself: 400 or 408, without a body. Unknown fields and parameters are refused by name, never ignored.`;

/** `verifyUrl`: where the verification port is, for whoever reads it. */
export function openApiDocument({ verifyUrl }: { readonly verifyUrl: string }): JsonSchema {
  const management = { url: '/', description: 'The management port.' };
  const verification = { url: verifyUrl, description: 'The verification port.' };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Latchkey',
      version: '1',
      summary: 'A self-hosted authority for API keys.',
      description,
      license: { name: 'All rights reserved', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [management],
    tags: [
      {
        name: 'Keys',
        description:
          'Creating, listing, changing and revoking. Every change is in force, everywhere, when it is answered.',
      },
      { name: 'Request signing', description: "The secrets that a key's requests are signed with." },
      { name: 'Verification', description: 'On the verification port: verdicts on presented keys, and revoking one.' },
      { name: 'Health', description: 'On both ports, without a token.' },
    ],
    paths: {
      ...restPaths(),
      ...onServers(verificationPaths, [verification]),
      ...onServers(healthPaths, [management, verification]),
    },
    components: {
      schemas: problemSchemas,
      responses: { HeadersTooLarge: { description: 'The headers have more than 16 kB. There is no body.' } },
      headers,
      securitySchemes: {
        sessionToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A session token, with the permissions that it grants on each team. An API key is none.',
        },
        apiKey: { type: 'http', scheme: 'bearer', description: 'The API key that is to be decided on.' },
        verifierToken: { type: 'http', scheme: 'bearer', description: 'One of VERIFIER_TOKENS.' },
        verifierHeader: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Latchkey-Verifier',
          description: "One of VERIFIER_TOKENS. `Authorization` has the original request's key here.",
        },
      },
    },
  };
}

function onServers(paths: Readonly<Record<string, JsonSchema>>, servers: readonly JsonSchema[]) {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, { servers, ...item }]));
}

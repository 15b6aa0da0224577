/**
 * Commands and programs for one key. They read secrets from the environment, so that no secret ends up in a file or in a
 * shell's history.
 */
import type { KeyEnv } from '../generated/graphql.ts';

export interface Snippet {
  readonly name: string;
  /** What the code needs. */
  readonly note: string;
  readonly code: string;
}

export interface SnippetOptions {
  readonly keyId: string;
  readonly env: KeyEnv;
  readonly signingEnabled: boolean;
  /** Of the verification port. */
  readonly verifyUrl: string;
  /** Where APIs expect keys: `KEY_LOCATIONS`. */
  readonly locations: readonly string[];
  /** The option of curl that sends the key in `$API_KEY`. */
  readonly curlOption: string;
}

/** A program of docs/start/quickstarts.md, whose options are replaced by those of the key. */
interface Quickstart extends Pick<Snippet, 'name' | 'note'> {
  readonly adapt: (code: string, options: SnippetOptions) => string;
}

const npmNote = (framework: string) =>
  `Needs ${framework} and @latchkey/client, which npm pack -w @latchkey/client in Latchkey’s repository builds.`;

const quickstarts: readonly Quickstart[] = [
  { name: 'Express', note: npmNote('express'), adapt: adaptNode },
  { name: 'Fastify', note: npmNote('fastify'), adapt: adaptNode },
  {
    name: 'FastAPI',
    note: 'Needs fastapi, uvicorn and the client: pip install ./clients/python in Latchkey’s repository.',
    adapt: (code, { env, locations }) =>
      put(code, 'env="live"', `env="${env}"${optionOf(locations, (list) => `, key_locations=[${list}]`)}`),
  },
  {
    name: 'Go',
    note: 'The body of main. Needs net/http, encoding/json and clients/go of Latchkey’s repository, the package latchkey.',
    adapt: (code, { env, locations }) => {
      const option = optionOf(locations, (list) => `, KeyLocations: []string{${list}}`);
      return bodyOfMain(put(code, 'Env: "live"', `Env: "${env}"${option}`));
    },
  },
  {
    name: 'nginx',
    note: 'The API listens on port 3000. Start Latchkey with SOURCE_HEADER=X-Real-IP.',
    adapt: adaptNginx,
  },
];

/** @param documentation the text of docs/start/quickstarts.md */
export function snippetsOf(documentation: string, options: SnippetOptions): readonly Snippet[] {
  const programs = quickstarts.map(({ name, note, adapt }) => {
    const [, code = ''] = new RegExp(`^## ${name}\\n.*?^\`\`\`\\w+\\n(.*?)^\`\`\``, 'ms').exec(documentation) ?? [];
    return { name, note, code: adapt(put(code, 'http://127.0.0.1:4001', options.verifyUrl), options) };
  });
  return [
    { name: 'curl', note: 'The first command shows the key to its holder.', code: commands(options) },
    ...programs,
  ];
}

function commands({ keyId, env, signingEnabled, verifyUrl, curlOption }: SnippetOptions): string {
  const call = `# An API that one of the other tabs protects answers with the id of the key
curl -i http://localhost:3000/orders ${curlOption}
`;
  return `# Key ${keyId} (${env}); API_KEY is its secret
curl ${verifyUrl}/v1/keys/self ${curlOption}
${signingEnabled ? '' : call}`;
}

function adaptNode(code: string, { env, locations }: SnippetOptions): string {
  const option = optionOf(locations, (list) => `, keyLocations: [${list.replaceAll('"', "'")}]`);
  return put(code, "env: 'live'", `env: '${env}'${option}`);
}

/** Removes each header with keys from the request to the API, as docs/tasks/gateways.md describes. */
function adaptNginx(code: string, { env, locations }: SnippetOptions): string {
  const headers = locations.map((location) => /^header:(.*)$/.exec(location)?.[1] ?? 'Authorization');
  const removed = [...new Set(headers)].map((header) => `proxy_set_header ${header} "";`).join(' ');
  const passed = headers
    .filter((header) => header.toLowerCase() !== 'authorization')
    .map((header) => ` proxy_set_header ${header} $http_${header.replaceAll('-', '_')};`);
  const withEnv = put(code, 'env=live', `env=${env}`);
  return put(put(withEnv, 'proxy_set_header Authorization "";', removed), 'internal;', `internal;${passed.join('')}`);
}

/** Returns an option with the list of places; nothing for the default of the clients. */
function optionOf(locations: readonly string[], option: (list: string) => string): string {
  const isDefault = locations.length === 1 && locations[0] === 'authorization';
  return isDefault ? '' : option(locations.map((location) => `"${location}"`).join(', '));
}

function bodyOfMain(code: string): string {
  const [, body = ''] = /^func main\(\) \{\n(.*?)^\}/ms.exec(code) ?? [];
  return body.replace(/^\t/gm, '');
}

function put(code: string, written: string, actual: string): string {
  return code.replace(written, () => actual);
}

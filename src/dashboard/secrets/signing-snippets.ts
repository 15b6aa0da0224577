/** Programs that send a signed GET request (RFC 9421, the profile in docs/tasks/signing.md). */
import type { Snippet, SnippetOptions } from './snippets.ts';

type Options = Pick<SnippetOptions, 'keyId' | 'locations' | 'curlOption'>;

export function signingSnippetsOf({ keyId, locations, curlOption }: Options): readonly Snippet[] {
  const [location = 'authorization'] = locations;
  return [
    { name: 'curl', note: 'Needs bash and openssl.', code: curl(keyId, curlOption) },
    {
      name: 'Node',
      note: 'Needs @latchkey/client, which npm pack -w @latchkey/client in Latchkey’s repository builds.',
      code: node(keyId, location),
    },
    {
      name: 'Python',
      note: 'Needs the client: pip install ./clients/python in Latchkey’s repository.',
      code: python(keyId, location),
    },
  ];
}

const curl = (keyId: string, option: string) => `#!/usr/bin/env bash
# URL has a path and no fragment.
rest=\${URL#*://}; authority=\${rest%%/*}; target=/\${rest#*/}
path=\${target%%[?]*}; query=\${target#"$path"}; query=\${query:-?}
now=$(date +%s)
input='("@method" "@authority" "@path" "@query")'";created=$now;expires=$((now + 60))"
input+=';nonce="'$(openssl rand -hex 16)'";keyid="${keyId}";alg="hmac-sha256";tag="latchkey-v1"'
base=$(printf '"@method": GET\\n"@authority": %s\\n"@path": %s\\n"@query": %s\\n"@signature-params": %s' \\
  "$authority" "$path" "$query" "$input")
mac=$(printf %s "$base" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$SIGNING_SECRET" -binary | base64)
curl -sS "$URL" ${option} -H "Signature-Input: sig1=$input" -H "Signature: sig1=:$mac:"
`;

const node = (keyId: string, location: string) => `import { signingFetch } from '@latchkey/client';

const { API_KEY: apiKey, SIGNING_SECRET: signingSecret, URL: url } = process.env;
const signedFetch = signingFetch({
  apiKey,${location === 'authorization' ? '' : `\n  keyLocation: '${location}',`}
  keyId: '${keyId}',
  signingSecret,
});
const response = await signedFetch(url);
console.log(await response.text());
`;

const python = (keyId: string, location: string) => `import ${location.startsWith('basic') ? 'base64, ' : ''}os
from urllib.request import Request, urlopen
from latchkey import sign_request

url, api_key, signing_secret = (os.environ[name] for name in ["URL", "API_KEY", "SIGNING_SECRET"])
headers = sign_request("GET", url, key_id="${keyId}", signing_secret=signing_secret)
${pythonHeader(location)}
print(urlopen(Request(url, headers=headers)).read().decode())
`;

function pythonHeader(location: string): string {
  const [, header] = /^header:(.*)$/.exec(location) ?? [];
  if (header !== undefined) return `headers["${header}"] = api_key`;
  if (location === 'authorization') return 'headers["Authorization"] = f"Bearer {api_key}"';
  const credentials = location === 'basic:password' ? ':{api_key}' : '{api_key}:';
  return `headers["Authorization"] = "Basic " + base64.b64encode(f"${credentials}".encode()).decode()`;
}

/**
 * Examples that sign a GET request (RFC 9421, the profile in docs/signing.md) with standard libraries only. They read
 * secrets from the environment, so that no secret ends up in a file or in a shell's history.
 */
interface SigningExample {
  readonly name: 'curl' | 'Node' | 'Python';
  readonly code: (keyId: string) => string;
}

export const signingExamples: readonly SigningExample[] = [
  {
    name: 'curl',
    code: (keyId) => `#!/usr/bin/env bash
# API_KEY, SIGNING_SECRET and URL (with a path, without a fragment) come from the environment.
rest=\${URL#*://}; authority=\${rest%%/*}; target=/\${rest#*/}
path=\${target%%[?]*}; query=\${target#"$path"}; query=\${query:-?}
now=$(date +%s)
input='("@method" "@authority" "@path" "@query");created='$now';expires='$((now + 60))';nonce="'$(openssl rand -hex 16)'";keyid="${keyId}";alg="hmac-sha256";tag="latchkey-v1"'
base=$(printf '"@method": GET\\n"@authority": %s\\n"@path": %s\\n"@query": %s\\n"@signature-params": %s' \\
  "$authority" "$path" "$query" "$input")
mac=$(printf %s "$base" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$SIGNING_SECRET" -binary | base64)
curl --silent --show-error "$URL" -H "Authorization: Bearer $API_KEY" \\
  -H "Signature-Input: sig1=$input" -H "Signature: sig1=:$mac:"
`,
  },
  {
    name: 'Node',
    code: (keyId) => `import { createHmac, randomBytes } from 'node:crypto';

const { API_KEY, SIGNING_SECRET, URL: address } = process.env;
const { host, pathname, search } = new URL(address);
const now = Math.floor(Date.now() / 1000);
const input =
  '("@method" "@authority" "@path" "@query")' +
  \`;created=\${now};expires=\${now + 60};nonce="\${randomBytes(16).toString('hex')}"\` +
  ';keyid="${keyId}";alg="hmac-sha256";tag="latchkey-v1"';
const base = [
  '"@method": GET',
  \`"@authority": \${host}\`,
  \`"@path": \${pathname}\`,
  \`"@query": \${search || '?'}\`,
  \`"@signature-params": \${input}\`,
].join('\\n');
const mac = createHmac('sha256', Buffer.from(SIGNING_SECRET, 'hex')).update(base).digest('base64');
const response = await fetch(address, {
  headers: {
    Authorization: \`Bearer \${API_KEY}\`,
    'Signature-Input': \`sig1=\${input}\`,
    Signature: \`sig1=:\${mac}:\`,
  },
});
console.log(await response.text());
`,
  },
  {
    name: 'Python',
    code: (keyId) => `import base64, hmac, os, secrets, time, urllib.request
from urllib.parse import urlsplit

url = urlsplit(os.environ["URL"])
now = int(time.time())
params = (
    '("@method" "@authority" "@path" "@query")'
    f';created={now};expires={now + 60};nonce="{secrets.token_hex(16)}"'
    ';keyid="${keyId}";alg="hmac-sha256";tag="latchkey-v1"'
)
base = "\\n".join([
    '"@method": GET',
    f'"@authority": {url.netloc}',
    f'"@path": {url.path or "/"}',
    f'"@query": ?{url.query}',
    f'"@signature-params": {params}',
])
mac = hmac.digest(bytes.fromhex(os.environ["SIGNING_SECRET"]), base.encode(), "sha256")
request = urllib.request.Request(url.geturl(), headers={
    "Authorization": f"Bearer {os.environ['API_KEY']}",
    "Signature-Input": f"sig1={params}",
    "Signature": f"sig1=:{base64.b64encode(mac).decode()}:",
})
print(urllib.request.urlopen(request).read().decode())
`,
  },
];

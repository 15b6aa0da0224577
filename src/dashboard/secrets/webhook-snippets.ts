/** Programs that verify requests of webhooks (Standard Webhooks). They read the secret from the environment. */
import type { WebhookSignature } from '../generated/graphql.ts';
import type { Snippet } from './snippets.ts';

export function webhookSnippetsOf(signature: WebhookSignature): readonly Snippet[] {
  const isShared = signature === 'V1';
  const nodeCode = isShared ? nodeShared : nodePublic;
  const packages = isShared ? 'Needs standardwebhooks from npm.' : 'Needs no package.';
  return [
    { name: 'Node', note: packages, code: nodeCode },
    {
      name: 'Express',
      note: isShared ? 'Needs express and standardwebhooks.' : 'Needs express.',
      code: express(nodeCode),
    },
    {
      name: 'Python',
      note: isShared ? 'Needs no package.' : 'Needs the package cryptography.',
      code: python(isShared ? pythonShared : pythonPublic),
    },
    { name: 'Go', note: 'Needs no module.', code: go(isShared ? goShared : goPublic) },
  ];
}

const nodeShared = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

/** Returns the event. Throws if the signature is wrong, or not of the last five minutes. */
export function eventOf(body, headers) {
  return webhook.verify(body, headers);
}
`;

const nodePublic = `import { createPublicKey, verify } from 'node:crypto';

const x = Buffer.from(process.env.WEBHOOK_PUBLIC_KEY.slice(5), 'base64').toString('base64url');
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

/** Returns the event. Throws if the signature is wrong, or not of the last five minutes. */
export function eventOf(body, headers) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  const signed = Buffer.from(\`\${id}.\${at}.\${body}\`);
  const isRight = (text) => text.startsWith('v1a,') && verify(null, signed, key, Buffer.from(text.slice(4), 'base64'));
  const isRecent = Math.abs(Date.now() / 1000 - Number(at)) <= 300;
  if (!isRecent || !signatures.split(' ').some(isRight)) throw new Error('Not a request of Latchkey');
  return JSON.parse(body);
}
`;

const express = (verification: string) => `import express from 'express';
${verification}
express()
  .post('/events', express.text({ type: '*/*' }), (request, response) => {
    let event;
    try {
      event = eventOf(request.body, request.headers);
    } catch {
      return response.sendStatus(401);
    }
    console.log(event);
    response.sendStatus(204);
  })
  .listen(process.env.PORT ?? 3000);
`;

interface PythonParts {
  readonly imports: string;
  readonly key: string;
  /** Decides whether \`signature\`, without its version, is that of \`signed\`. */
  readonly check: string;
  readonly version: string;
}

const pythonShared: PythonParts = {
  imports: 'import base64, hashlib, hmac, json, os, time\n',
  key: 'key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))',
  check: `    return len(key) > 0 and hmac.compare_digest(signature, hmac.digest(key, signed, hashlib.sha256))`,
  version: 'v1',
};

const pythonPublic: PythonParts = {
  imports: `import base64, json, os, time
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
`,
  key: `public_key = base64.b64decode(os.environ["WEBHOOK_PUBLIC_KEY"].removeprefix("whpk_"))
key = Ed25519PublicKey.from_public_bytes(public_key)`,
  check: `    try:
        key.verify(signature, signed)
        return True
    except InvalidSignature:
        return False`,
  version: 'v1a',
};

const python = ({ imports, key, check, version }: PythonParts) => `${imports}
${key}

def is_right(signature: bytes, signed: bytes) -> bool:
${check}

def event_of(body: bytes, headers):
    """Returns the event. Raises ValueError if the signature is wrong, or not of the last five minutes."""
    sent_at = headers["webhook-timestamp"]
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    texts = [text.partition(",") for text in headers["webhook-signature"].split()]
    signatures = [base64.b64decode(text) for version, _, text in texts if version == "${version}"]
    is_recent = abs(time.time() - int(sent_at)) <= 300
    if not is_recent or not any(is_right(signature, signed) for signature in signatures):
        raise ValueError("not a request of Latchkey")
    return json.loads(body)
`;

interface GoParts {
  readonly imports: readonly string[];
  readonly variable: string;
  readonly prefix: string;
  readonly version: string;
  readonly check: string;
}

const goShared: GoParts = {
  imports: ['crypto/hmac', 'crypto/sha256'],
  variable: 'WEBHOOK_SECRET',
  prefix: 'whsec_',
  version: 'v1',
  check: `	mac := hmac.New(sha256.New, key)
	mac.Write(signed)
	return hmac.Equal(signature, mac.Sum(nil))`,
};

const goPublic: GoParts = {
  imports: ['crypto/ed25519'],
  variable: 'WEBHOOK_PUBLIC_KEY',
  prefix: 'whpk_',
  version: 'v1a',
  check: '	return ed25519.Verify(key, signed, signature)',
};

const goImports = ['encoding/base64', 'math', 'net/http', 'os', 'strconv', 'strings', 'time'];

const go = ({ imports, variable, prefix, version, check }: GoParts) => `package events

import (
${[...imports, ...goImports].map((path) => `	"${path}"`).join('\n')}
)

// Verify returns whether Latchkey has sent the request in the last five minutes.
func Verify(body []byte, header http.Header) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("${variable}"), "${prefix}"))
	sentAt, timeErr := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	age := math.Abs(float64(time.Now().Unix() - sentAt))
	if err != nil || len(key) != 32 || timeErr != nil || age > 300 {
		return false
	}
	signed := []byte(header.Get("webhook-id") + "." + header.Get("webhook-timestamp") + "." + string(body))
	for _, text := range strings.Fields(header.Get("webhook-signature")) {
		signature, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "${version},"))
		if err == nil && isRight(key, signed, signature) {
			return true
		}
	}
	return false
}

func isRight(key, signed, signature []byte) bool {
${check}
}
`;

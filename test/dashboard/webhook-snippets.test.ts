/** The examples that the dashboard shows for receivers of webhooks accept our signatures, and no others. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookSnippetsOf } from '../../src/dashboard/secrets/webhook-snippets.ts';
import { mintWebhookSecret, verificationKeyOf, webhookHeaders } from '../../src/domain/webhook/signature.ts';
import { runGoTool, whyNoGo } from '../support/go.ts';
import { pythonWith } from '../support/python.ts';

const run = promisify(execFile);
const body = '{"type":"key.created","text":"ä"}';
const seconds = () => Math.floor(Date.now() / 1000);

const nodeCalls = `
for (const { headers, body } of JSON.parse(process.env.CALLS)) {
  try { console.log(eventOf(body, headers).type); } catch { console.log('rejected'); }
}`;
const pythonCalls = `
for call in json.loads(os.environ["CALLS"]):
    try: print(event_of(call["body"].encode(), call["headers"])["type"])
    except ValueError: print("rejected")
`;
const goCalls = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	var calls []struct{ Headers map[string]string; Body string }
	if err := json.Unmarshal([]byte(os.Getenv("CALLS")), &calls); err != nil { panic(err) }
	for _, call := range calls {
		header := http.Header{}
		for name, value := range call.Headers { header.Set(name, value) }
		if Verify([]byte(call.Body), header) { fmt.Println("key.created") } else { fmt.Println("rejected") }
	}
}
`;

describe.each(['V1', 'V1A'] as const)('with %s', (signature) => {
  const secret = mintWebhookSecret(signature, randomBytes);
  const other = mintWebhookSecret(signature, randomBytes);
  const snippets = webhookSnippetsOf(signature);
  const codeOf = (name: string) => snippets.find((snippet) => snippet.name === name)?.code ?? '';
  const headers = (secrets = [secret], timestampSeconds = seconds()) =>
    webhookHeaders({ id: 'evt_1', timestampSeconds, body }, secrets);
  const calls = () => [
    { body, headers: headers() },
    // During the overlap after a rotation, and with a signature of another version.
    { body, headers: headers([other, secret]) },
    { body, headers: headers([mintWebhookSecret(signature === 'V1' ? 'V1A' : 'V1', randomBytes), secret]) },
    { body: body.replace('created', 'revoked'), headers: headers() },
    { body, headers: { ...headers(), 'webhook-id': 'evt_2' } },
    { body, headers: headers([other]) },
    { body, headers: headers([secret], seconds() - 400) },
    { body, headers: headers([secret], seconds() + 400) },
    { body, headers: { ...headers(), 'webhook-timestamp': 'NaN' } },
    { body, headers: { ...headers(), 'webhook-signature': '' } },
  ];
  const accepted = 'key.created\n';
  const expected = accepted.repeat(3) + 'rejected\n'.repeat(7);
  const environment = () => ({
    PATH: process.env.PATH,
    [signature === 'V1' ? 'WEBHOOK_SECRET' : 'WEBHOOK_PUBLIC_KEY']: verificationKeyOf(secret),
    CALLS: JSON.stringify(calls()),
  });

  it.each(['Node', 'Express'])('the example for %s accepts only recent requests with our signature', async (name) => {
    const code = name === 'Node' ? codeOf(name) : codeOf(name).split('\nexpress()')[0];
    const args = ['--input-type=module', '-e', code + nodeCalls];
    expect((await run('node', args, { env: environment() })).stdout).toBe(expected);
  });

  it('the example for Python accepts only recent requests with our signature', async (context) => {
    const python = await pythonWith(...(signature === 'V1' ? [] : ['cryptography']));
    if (python === undefined) return context.skip('no Python 3.11 with cryptography is installed');
    const { stdout } = await run(python, ['-c', codeOf('Python') + pythonCalls], { env: environment() });
    expect(stdout).toBe(expected);
  });

  it.skipIf(whyNoGo !== undefined)('the example for Go accepts only recent requests with our signature', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-receiver-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'events.go'), codeOf('Go'));
    expect(await runGoTool('gofmt', ['-d', 'events.go'], directory)).toBe('');
    await writeFile(join(directory, 'events.go'), codeOf('Go').replace('package events', 'package main'));
    await writeFile(join(directory, 'main.go'), goCalls);
    await runGoTool('go', ['mod', 'init', 'example.com/receiver'], directory);
    await runGoTool('go', ['build', '-o', 'receiver', '.'], directory);
    expect((await run(join(directory, 'receiver'), { env: environment() })).stdout).toBe(expected);
  });
});

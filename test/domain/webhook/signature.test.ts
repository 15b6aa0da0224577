import { createPublicKey, randomBytes, verify } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../../src/domain/secret/key-ring.ts';
import { openSigningSecret, sealSigningSecret } from '../../../src/domain/secret/signing-secret.ts';
import {
  activeSecretsOf,
  mintWebhookSecret,
  openWebhookSecret,
  sealWebhookSecret,
  verificationKeyOf,
  type WebhookSecret,
  webhookHeaders,
  webhookSignature,
} from '../../../src/domain/webhook/signature.ts';
import { pythonWith, runPython } from '../../support/python.ts';

const python = await pythonWith('hmac');
if (python === undefined) console.warn('The verifier in Python is not run: there is no Python of at least 3.11');

const counting = (size: number) => Buffer.from(Array.from({ length: size }, (_, i) => i));
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampSeconds: 1614265330, body: '{"test": 2432232314}' };
const v1 = mintWebhookSecret('V1', randomBytes);
const v1a = mintWebhookSecret('V1A', randomBytes);

/** Verifies as Standard Webhooks specifies for `v1a`, which the package from npm does not check. */
function verifies(header: string, { id, timestampSeconds, body }: typeof message, publicKey: string): boolean {
  const spki = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(publicKey.slice(5), 'base64'),
  ]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const signed = Buffer.from(`${id}.${timestampSeconds}.${body}`);
  return header.split(' ').some((one) => {
    const [version, signature = ''] = one.split(',');
    return version === 'v1a' && verify(null, signed, key, Buffer.from(signature, 'base64'));
  });
}

describe('the signature of a webhook', () => {
  it('is, with v1, the one of the reference libraries', () => {
    const secret: WebhookSecret = { signature: 'V1', bytes: Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64') };
    expect(webhookSignature(message, [secret])).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(verificationKeyOf(secret)).toBe('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  });

  it('is, with v1a, the one of RFC 8032', () => {
    // Computed with Python's cryptography package.
    const secret = mintWebhookSecret('V1A', counting);
    expect(webhookSignature(message, [secret])).toBe(
      'v1a,yoUrgEkc12aGqm0n4Sydmdz55xJfTz4AsAgieHFjmkR7LJtqVCZOQYzvvHjI5kAey+r4iaBGxTFRrl2iBQxtDQ==',
    );
    expect(verificationKeyOf(secret)).toBe('whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=');
    // RFC 8032, section 7.1, test 1.
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    const expected = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    expect(verificationKeyOf({ signature: 'V1A', bytes: seed })).toBe(`whpk_${expected.toString('base64')}`);
  });

  it('is accepted by the package of Standard Webhooks, also during the overlap with either secret', () => {
    const previous = mintWebhookSecret('V1', randomBytes);
    const timestampSeconds = Math.floor(Date.now() / 1000);
    fc.assert(
      fc.property(fc.json(), (body) => {
        const headers = webhookHeaders({ id: 'evt_1', timestampSeconds, body }, [v1, previous]);
        for (const secret of [v1, previous]) {
          expect(new Webhook(verificationKeyOf(secret)).verify(body, headers)).toEqual(JSON.parse(body));
        }
        const other = new Webhook(verificationKeyOf(mintWebhookSecret('V1', randomBytes)));
        expect(() => other.verify(body, headers)).toThrow('No matching signature found');
      }),
      { numRuns: 30 },
    );
  });

  it.skipIf(python === undefined)("is accepted by a verifier with Python's standard library only", async () => {
    const program = [
      'import base64, hashlib, hmac, sys',
      'secret, id, timestamp, header, body = sys.argv[1:]',
      "key = base64.b64decode(secret.removeprefix('whsec_'), validate=True)",
      "signed = f'{id}.{timestamp}.{body}'.encode()",
      "expected = 'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()",
      "print(any(hmac.compare_digest(one, expected) for one in header.split(' ')))",
    ];
    const unicode = { ...message, body: '{"name":"Ключ 🔑"}' };
    const check = async (secret: WebhookSecret, body: string) => {
      const headers = webhookHeaders(unicode, [v1a, v1]);
      const sent = [headers['webhook-id'], headers['webhook-timestamp'], headers['webhook-signature'], body];
      return (await runPython(python ?? '', ['-c', program.join('\n'), verificationKeyOf(secret), ...sent])).trim();
    };
    const other = mintWebhookSecret('V1', randomBytes);
    const answers = [check(v1, unicode.body), check(v1, `${unicode.body} `), check(other, unicode.body)];
    expect(await Promise.all(answers)).toEqual(['True', 'False', 'False']);
  });

  it('with v1a verifies with the public key, which does not sign, and only for the same id, time and body', () => {
    const header = webhookSignature(message, [v1a]);
    const publicKey = verificationKeyOf(v1a);
    expect(publicKey).toMatch(/^whpk_[\w+/]{43}=$/);
    expect(publicKey).not.toContain(v1a.bytes.toString('base64'));
    expect(verifies(header, message, publicKey)).toBe(true);
    expect(verifies(webhookSignature(message, [mintWebhookSecret('V1A', randomBytes), v1a]), message, publicKey)).toBe(
      true,
    );
    for (const changed of [{ id: 'msg_2' }, { timestampSeconds: 1614265331 }, { body: '{"test": 2432232315}' }]) {
      expect(verifies(header, { ...message, ...changed }, publicKey)).toBe(false);
      expect(webhookSignature({ ...message, ...changed }, [v1])).not.toBe(webhookSignature(message, [v1]));
    }
  });

  it('is not made for an id with a dot, which could move text from the id into the time', () => {
    expect(() => webhookSignature({ ...message, id: 'evt_1.2' }, [v1])).toThrow('must have no dot');
  });
});

describe('the secret of a webhook', () => {
  const keks = keyRing([{ id: 'kek1', bytes: Buffer.alloc(32, 'k') }]);
  const owner = { webhookId: 'webhook-1', version: 3 };
  const rejection = 'Unsupported state or unable to authenticate data';

  it('has 256 random bits', () => {
    expect(verificationKeyOf(mintWebhookSecret('V1', counting))).toBe(`whsec_${counting(32).toString('base64')}`);
    for (const signature of ['V1', 'V1A'] as const) {
      expect(mintWebhookSecret(signature, counting)).toEqual({ signature, bytes: counting(32) });
    }
  });

  it('is sealed with AES-256-GCM, bound to webhook, version and purpose', () => {
    // Computed with Python's cryptography package; envelopes at rest must stay readable.
    const envelope = 'kek1.AAECAwQFBgcICQoLatz2LQDVgHJLklmBaMgGV-j_qHeIc4qSt2Xzvuw3ijebga4e7xdFWb6j6BhIgtD1';
    expect(sealWebhookSecret(mintWebhookSecret('V1', counting), owner, keks, counting)).toBe(envelope);
    expect(openWebhookSecret(envelope, 'V1', owner, keks)).toEqual({ signature: 'V1', bytes: counting(32) });
  });

  it('does not open for another webhook or version, nor as the signing secret of a key, and the other way round', () => {
    const envelope = sealWebhookSecret(v1, owner, keks, randomBytes);
    for (const other of [{ webhookId: 'webhook-2' }, { version: 4 }]) {
      expect(() => openWebhookSecret(envelope, 'V1', { ...owner, ...other }, keks)).toThrow(rejection);
    }
    const key = { keyId: owner.webhookId, version: owner.version };
    expect(() => openSigningSecret(envelope, key, keks)).toThrow(rejection);
    const ofKey = sealSigningSecret(v1.bytes, key, keks, randomBytes);
    expect(() => openWebhookSecret(ofKey, 'V1', owner, keks)).toThrow(rejection);
  });

  it('signs together with the previous one until the overlap ends', () => {
    const [previous, current] = [mintWebhookSecret('V1A', randomBytes), mintWebhookSecret('V1A', randomBytes)];
    const endsAt = new Date('2026-01-02T03:04:05Z');
    const webhook = {
      id: 'webhook-1',
      signature: 'V1A',
      secretEnvelope: sealWebhookSecret(current, owner, keks, randomBytes),
      secretVersion: 3,
      previousSecretEnvelope: sealWebhookSecret(previous, { ...owner, version: 2 }, keks, randomBytes),
      previousSecretExpiresAt: endsAt,
    } as const;
    const after = new Date(endsAt.getTime() + 1);
    expect(activeSecretsOf(webhook, keks, endsAt)).toEqual([current, previous]);
    expect(activeSecretsOf(webhook, keks, after)).toEqual([current]);
    const first = { ...webhook, previousSecretEnvelope: null, previousSecretExpiresAt: null };
    expect(activeSecretsOf(first, keks, endsAt)).toEqual([current]);
  });

  it('names the webhook and the key-encryption key to bring back, if that is gone', () => {
    const envelope = sealWebhookSecret(v1, owner, keks, randomBytes);
    expect(() => openWebhookSecret(envelope, 'V1', owner, keyRing([{ id: 'kek2', bytes: Buffer.alloc(32) }]))).toThrow(
      'the signing secret of webhook webhook-1 needs the key-encryption key kek1',
    );
  });
});

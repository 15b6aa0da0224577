/** X.509 certificates for servers of tests, which Node.js itself can't make (RFC 5280). */
import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult, randomBytes, sign } from 'node:crypto';

const [integer, bitString, octetString, oid, utf8String, generalizedTime] = [0x02, 0x03, 0x04, 0x06, 0x0c, 0x18];
const [sequence, set, boolean] = [0x30, 0x31, 0x01];
const context = (tag: number) => 0xa0 + tag;

function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length: size } = content;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, Math.floor(size / 256), size % 256];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const hex = (text: string) => Buffer.from(text, 'hex');
const ecdsaWithSha256 = der(sequence, der(oid, hex('2a8648ce3d040302')));
const nameOf = (commonName: string) =>
  der(sequence, der(set, der(sequence, der(oid, hex('550403')), der(utf8String, commonName))));
const timeOf = (date: Date) => der(generalizedTime, date.toISOString().replace(/[-:T]|\.\d+/g, ''));
const extension = (id: string, ...value: readonly Buffer[]) =>
  der(sequence, der(oid, hex(id)), der(octetString, der(sequence, ...value)));

interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

const dayMs = 86_400_000;

function certificate(
  subject: string,
  publicKey: KeyObject,
  issuer: Issuer,
  extensions: Buffer,
  expiresAt: Date,
): string {
  const content = der(
    sequence,
    der(context(0), der(integer, hex('02'))),
    // The first byte keeps the number positive and in its shortest form, whatever the random bytes are (X.690, 8.3.2).
    der(integer, Buffer.from([1]), randomBytes(8)),
    ecdsaWithSha256,
    nameOf(issuer.name),
    der(sequence, timeOf(new Date(Date.now() - 10 * dayMs)), timeOf(expiresAt)),
    nameOf(subject),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(context(3), der(sequence, extensions)),
  );
  const signature = sign('sha256', content, issuer.key);
  const signed = der(sequence, content, ecdsaWithSha256, der(bitString, hex('00'), signature));
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Makes a certificate authority, and certificates that it issues. All of them are in PEM. */
export function certificateAuthority(name = 'Authority of tests') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const issuer: Issuer = { name, key: privateKey };
  const isAuthority = extension('551d13', der(boolean, hex('ff')));
  return {
    certificate: certificate(name, publicKey, issuer, isAuthority, new Date(Date.now() + dayMs)),
    /** Issues a certificate for a DNS name. */
    issue: (
      dnsName: string,
      expiresAt = new Date(Date.now() + dayMs),
      server: KeyPairKeyObjectResult = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    ) => {
      const subjectAltName = extension('551d11', der(0x82, dnsName));
      return {
        cert: certificate(dnsName, server.publicKey, issuer, subjectAltName, expiresAt),
        key: server.privateKey.export({ format: 'pem', type: 'pkcs8' }),
      };
    },
  };
}

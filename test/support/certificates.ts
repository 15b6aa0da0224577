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

const derOf = (publicKey: KeyObject) => publicKey.export({ format: 'der', type: 'spki' });

interface Issuer {
  readonly name: string;
  readonly algorithm: Buffer;
  readonly sign: (content: Buffer) => Buffer;
}

const dayMs = 86_400_000;

function certificate(subject: string, publicKey: Buffer, issuer: Issuer, extensions: Buffer, expiresAt: Date): string {
  const content = der(
    sequence,
    der(context(0), der(integer, hex('02'))),
    // The first byte keeps the number positive and in its shortest form, whatever the random bytes are (X.690, 8.3.2).
    der(integer, Buffer.from([1]), randomBytes(8)),
    issuer.algorithm,
    nameOf(issuer.name),
    der(sequence, timeOf(new Date(Date.now() - 10 * dayMs)), timeOf(expiresAt)),
    nameOf(subject),
    publicKey,
    der(context(3), der(sequence, extensions)),
  );
  const signed = der(sequence, content, issuer.algorithm, der(bitString, hex('00'), issuer.sign(content)));
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const isAuthority = extension('551d13', der(boolean, hex('ff')));
const inOneDay = () => new Date(Date.now() + dayMs);

/** Makes a certificate authority, and certificates that it issues. All of them are in PEM. */
export function certificateAuthority(name = 'Authority of tests') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const issuer: Issuer = {
    name,
    algorithm: ecdsaWithSha256,
    sign: (content) => sign('sha256', content, privateKey),
  };
  return {
    certificate: certificate(name, derOf(publicKey), issuer, isAuthority, inOneDay()),
    /** Issues a certificate for a DNS name. */
    issue: (
      dnsName: string,
      expiresAt = inOneDay(),
      server: KeyPairKeyObjectResult = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    ) => {
      const subjectAltName = extension('551d11', der(0x82, dnsName));
      return {
        cert: certificate(dnsName, derOf(server.publicKey), issuer, subjectAltName, expiresAt),
        key: server.privateKey.export({ format: 'pem', type: 'pkcs8' }),
      };
    },
  };
}

/**
 * Makes a chain of 15 kB that takes a client about 80 ms: DSA keys of 10,000 bits, the maximum of OpenSSL, which checks
 * the signatures of a chain even if it trusts none of them. Neither keys nor signatures are valid. A server that uses it
 * needs `@SECLEVEL=0` in its ciphers.
 */
export function expensiveChain(dnsName: string) {
  const number = (bytes: number) => {
    const value = randomBytes(bytes);
    value[0] = 0x40;
    value[bytes - 1] = 0x01;
    return der(integer, value);
  };
  // The largest prime of 256 bits, so that every signature has an inverse; short numbers for the generator and the key.
  const order = der(integer, hex(`00${'f'.repeat(62)}43`));
  const parameters = der(sequence, number(1250), order, der(integer, hex('02')));
  const key = der(
    sequence,
    der(sequence, der(oid, hex('2a8648ce380401')), parameters),
    der(bitString, hex('00'), der(integer, hex('03'))),
  );
  const issuerOf = (place: number): Issuer => ({
    name: `Authority ${place}`,
    algorithm: der(sequence, der(oid, hex('608648016503040302'))),
    sign: () => der(sequence, number(31), number(31)),
  });
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const leaf = certificate(dnsName, derOf(publicKey), issuerOf(0), extension('551d11', der(0x82, dnsName)), inOneDay());
  const others = Array.from({ length: 10 }, (_, i) =>
    certificate(`Authority ${i}`, key, issuerOf(i + 1), isAuthority, inOneDay()),
  );
  return { cert: [leaf, ...others].join(''), key: privateKey.export({ format: 'pem', type: 'pkcs8' }) };
}

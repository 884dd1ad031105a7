import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A self-signed certificate with its key, both as PEM. */
export interface Certificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  text: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;
/** Object identifiers in their encoded form. */
const OIDS = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  subjectAltName: '551d11',
} as const;
/** The dates are fixed, so that the certificate is valid whatever time a test's clock shows. */
const NOT_BEFORE = '20200101000000Z';
const NOT_AFTER = '20990101000000Z';

/** Creates a self-signed P-256 certificate for `host` (an IPv4 address) and `localhost` that is its own authority. */
export function makeCertificate(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OIDS.ecdsaWithSha256));
  const serial = randomBytes(8);
  // The name is unique, because a client that trusts two authorities with the same name may use the wrong one.
  const commonName = text(`Masquerade sandbox ${serial.toString('hex')}`);
  const name = sequence(der(TAGS.set, sequence(oid(OIDS.commonName), commonName)));
  const body = sequence(
    der(0xa0, der(TAGS.integer, Buffer.from([2]))),
    der(TAGS.integer, Buffer.concat([Buffer.from([1]), serial])),
    algorithm,
    name,
    sequence(time(NOT_BEFORE), time(NOT_AFTER)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(authority(), reachedAt(host))),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, algorithm, der(TAGS.bitString, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificatePem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function authority(): Buffer {
  const isTrue = der(TAGS.boolean, Buffer.from([0xff]));
  return sequence(oid(OIDS.basicConstraints), isTrue, der(TAGS.octetString, sequence(isTrue)));
}

function reachedAt(host: string): Buffer {
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    ...['127.0.0.1', host]
      .filter((address, index, all) => /^[\d.]+$/.test(address) && all.indexOf(address) === index)
      .map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
  );
  return sequence(oid(OIDS.subjectAltName), der(TAGS.octetString, names));
}

function oid(hex: string): Buffer {
  return der(TAGS.oid, Buffer.from(hex, 'hex'));
}

function text(value: string): Buffer {
  return der(TAGS.text, Buffer.from(value));
}

function time(value: string): Buffer {
  return der(TAGS.time, Buffer.from(value));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAGS.sequence, ...parts);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.byteLength;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

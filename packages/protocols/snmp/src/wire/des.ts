import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

/** The number under which DES is added to net-snmp's ciphers. */
export const DES = 102;
/** net-snmp's own DES, which asks OpenSSL for a cipher that OpenSSL 3 no longer has. */
const OWN_DES = 2;
const BLOCK = 8;
/** OpenSSL 3 has DES three times over, which with three times the same key is DES once. */
const CIPHER = 'des-ede3-cbc';

interface Engine {
  readonly engineID: Buffer;
  readonly engineBoots: number;
}

interface Library {
  readonly Authentication: { passwordToKey(protocol: number, password: string, engineID: Buffer): Buffer };
  readonly Encryption: { readonly algorithms: Record<number, object> };
}

/** Adds CBC-DES (RFC 3414 section 8) to the ciphers of net-snmp, without changing those it has. */
export function addDes({ Authentication, Encryption }: Library): void {
  /** RFC 3414 section 8.1.1.1: half of the localized key is the key, half is exclusive-ored with the salt. */
  const prepare = (
    salt: Buffer,
    password: string,
    protocol: number,
    engineID: Buffer,
  ): readonly [key: Buffer, vector: Buffer] => {
    const localized = Authentication.passwordToKey(protocol, password, engineID);
    const key = localized.subarray(0, BLOCK);
    const vector = Buffer.from(localized.subarray(BLOCK, 2 * BLOCK));
    for (let i = 0; i < BLOCK; i += 1) vector[i] = (vector[i] ?? 0) ^ (salt[i] ?? 0);
    return [Buffer.concat([key, key, key]), vector];
  };
  Encryption.algorithms[DES] ??= {
    ...Encryption.algorithms[OWN_DES],
    encryptPdu(plain: Buffer, _priv: number, password: string, protocol: number, engine: Engine) {
      const salt = randomFillSync(Buffer.alloc(BLOCK), BLOCK / 2);
      salt.writeUInt32BE(engine.engineBoots);
      const cipher = createCipheriv(CIPHER, ...prepare(salt, password, protocol, engine.engineID));
      cipher.setAutoPadding(false);
      const padded = Buffer.concat([plain, Buffer.alloc((BLOCK - (plain.length % BLOCK)) % BLOCK)]);
      return {
        encryptedPdu: Buffer.concat([cipher.update(padded), cipher.final()]),
        msgPrivacyParameters: salt,
      };
    },
    decryptPdu(
      octets: Buffer,
      _priv: number,
      salt: Buffer,
      password: string,
      protocol: number,
      engine: Engine,
    ) {
      if (salt.length !== BLOCK) throw new Error(`the salt must have ${BLOCK} octets, got ${salt.length}`);
      const decipher = createDecipheriv(CIPHER, ...prepare(salt, password, protocol, engine.engineID));
      decipher.setAutoPadding(false);
      return Buffer.concat([decipher.update(octets), decipher.final()]);
    },
  };
}

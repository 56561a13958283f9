/** The negotiate flags that matter here ([MS-NLMP] 2.2.2.5). */
export const FLAGS = {
  unicode: 0x00000001,
  oem: 0x00000002,
  requestTarget: 0x00000004,
  sign: 0x00000010,
  seal: 0x00000020,
  ntlm: 0x00000200,
  alwaysSign: 0x00008000,
  targetTypeDomain: 0x00010000,
  extendedSessionSecurity: 0x00080000,
  targetInfo: 0x00800000,
  version: 0x02000000,
  key128: 0x20000000,
  keyExchange: 0x40000000,
  key56: 0x80000000,
} as const;

/** NEGOTIATE_MESSAGE, type 1 ([MS-NLMP] 2.2.1.1). Domain and workstation in it mean nothing here. */
export interface NegotiateMessage {
  readonly type: 'negotiate';
  readonly flags: number;
}

/** AUTHENTICATE_MESSAGE, type 3 ([MS-NLMP] 2.2.1.3). */
export interface AuthenticateMessage {
  readonly type: 'authenticate';
  readonly lmResponse: Buffer;
  readonly ntResponse: Buffer;
  readonly domain: string;
  readonly user: string;
  readonly workstation: string;
}

const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');
const MAX_LENGTH = 16 * 1024;
const OLDEST_AUTHENTICATE_HEADER = 52;
const AUTHENTICATE_HEADER = 64;

/** Whether these bytes call themselves an NTLM message; other tokens come under `Negotiate`. */
export function isNtlm(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

/**
 * Reads a message of a client.
 *
 * @param agreedFlags - those of the challenge; 0 when there was none, and the message's own count
 * @returns the message, or a sentence that says what is wrong with it
 */
export function readMessage(
  bytes: Buffer,
  agreedFlags: number,
): NegotiateMessage | AuthenticateMessage | string {
  if (!isNtlm(bytes)) {
    return 'NTLM message does not start with NTLMSSP';
  }
  if (bytes.length < 16 || bytes.length > MAX_LENGTH) {
    return `NTLM message of ${bytes.length} bytes, want 16 to ${MAX_LENGTH}`;
  }
  const type = bytes.readUInt32LE(8);
  switch (type) {
    case 1:
      return { type: 'negotiate', flags: bytes.readUInt32LE(12) };
    case 3:
      return readAuthenticate(bytes, agreedFlags);
    default:
      return `NTLM message of type ${type}, want 1 or 3`;
  }
}

function readAuthenticate(bytes: Buffer, agreedFlags: number): AuthenticateMessage | string {
  if (bytes.length < OLDEST_AUTHENTICATE_HEADER) {
    return `NTLM message of type 3 with ${bytes.length} bytes, want at least ${OLDEST_AUTHENTICATE_HEADER}`;
  }
  const [lmResponse, ntResponse, domain, user, workstation] = [12, 20, 28, 36, 44].map((at) =>
    readField(bytes, at),
  );
  if (!lmResponse || !ntResponse || !domain || !user || !workstation) {
    return 'NTLM message of type 3 has a field beyond its end';
  }
  // The oldest clients put no flags here, and wget claims Unicode whatever was agreed.
  const flags =
    agreedFlags === 0 && bytes.length >= AUTHENTICATE_HEADER ? bytes.readUInt32LE(60) : agreedFlags;
  // A name in an OEM character set holds no zero byte; some clients answer in Unicode all the same.
  const isUnicode =
    (flags & FLAGS.unicode) !== 0 || [domain, user, workstation].some((name) => name.includes(0));
  const encoding = isUnicode ? 'utf16le' : 'latin1';
  return {
    type: 'authenticate',
    lmResponse,
    ntResponse,
    domain: domain.toString(encoding),
    user: user.toString(encoding),
    workstation: workstation.toString(encoding),
  };
}

/** A length, a length that is ignored, and an offset; undefined when it points outside the payload. */
function readField(bytes: Buffer, at: number): Buffer | undefined {
  const length = bytes.readUInt16LE(at);
  const offset = bytes.readUInt32LE(at + 4);
  if (length === 0) {
    return Buffer.alloc(0);
  }
  return offset < OLDEST_AUTHENTICATE_HEADER || offset + length > bytes.length
    ? undefined
    : bytes.subarray(offset, offset + length);
}

/** The flags that a challenge agrees to, of those that a client offered ([MS-NLMP] 3.2.5.1.1). */
export function agreeOnFlags(offered: number): number {
  const kept =
    FLAGS.requestTarget |
    FLAGS.sign |
    FLAGS.seal |
    FLAGS.alwaysSign |
    FLAGS.extendedSessionSecurity |
    FLAGS.version |
    FLAGS.key128 |
    FLAGS.keyExchange |
    FLAGS.key56;
  // Unicode unless the client knows only its OEM character set.
  const onlyOem = (offered & FLAGS.oem) !== 0 && (offered & FLAGS.unicode) === 0;
  return (
    ((offered & kept) |
      (onlyOem ? FLAGS.oem : FLAGS.unicode) |
      FLAGS.ntlm |
      FLAGS.targetTypeDomain |
      FLAGS.targetInfo) >>>
    0
  );
}

/**
 * CHALLENGE_MESSAGE, type 2 ([MS-NLMP] 2.2.1.2). Its target information has no timestamp: clients then use their
 * own clock and leave out the message integrity code, which HTTP has no use for.
 *
 * @param flags - see {@link agreeOnFlags}
 * @param target - the name of the domain and server, ASCII
 */
export function writeChallenge(flags: number, serverChallenge: Uint8Array, target: string): Buffer {
  const netbios = target.toUpperCase();
  const name = Buffer.from(netbios, (flags & FLAGS.unicode) === 0 ? 'latin1' : 'utf16le');
  const info = Buffer.concat([
    avPair(2, netbios),
    avPair(1, netbios),
    avPair(4, target.toLowerCase()),
    avPair(3, target.toLowerCase()),
    avPair(0, ''),
  ]);
  const header = Buffer.alloc(56);
  header.set(SIGNATURE);
  header.writeUInt32LE(2, 8);
  writeField(header, 12, name.length, header.length);
  header.writeUInt32LE(flags, 20);
  header.set(serverChallenge, 24);
  writeField(header, 40, info.length, header.length + name.length);
  if ((flags & FLAGS.version) !== 0) {
    // Version 10.0, NTLM revision 15 ([MS-NLMP] 2.2.2.10).
    header.set([10, 0, 0, 0, 0, 0, 0, 15], 48);
  }
  return Buffer.concat([header, name, info]);
}

function writeField(bytes: Buffer, at: number, length: number, offset: number): void {
  bytes.writeUInt16LE(length, at);
  bytes.writeUInt16LE(length, at + 2);
  bytes.writeUInt32LE(offset, at + 4);
}

/** AV_PAIR ([MS-NLMP] 2.2.2.1); its texts are Unicode whatever was agreed. */
function avPair(id: number, text: string): Buffer {
  const value = Buffer.from(text, 'utf16le');
  const header = Buffer.alloc(4);
  header.writeUInt16LE(id, 0);
  header.writeUInt16LE(value.length, 2);
  return Buffer.concat([header, value]);
}

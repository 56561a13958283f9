/** First bytes by which a type is known (WHATWG MIME Sniffing, section 6), as `latin1`, and what it is. */
const SIGNATURES: readonly (readonly [start: string, type: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b\x08', 'application/gzip'],
  ['\x00\x00\x01\x00', 'image/x-icon'],
  ['\x00asm', 'application/wasm'],
  ['wOF2', 'font/woff2'],
  ['wOFF', 'font/woff'],
  ['OggS', 'application/ogg'],
  ['ID3', 'audio/mpeg'],
];
const LONGEST = 16;

/** The content type of bytes by how they begin; `application/octet-stream` when nobody knows. */
export function typeOfBytes(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, LONGEST);
  for (const [signature, type] of SIGNATURES) if (start.startsWith(signature)) return type;
  if (start.startsWith('RIFF')) {
    if (start.startsWith('WEBP', 8)) return 'image/webp';
    if (start.startsWith('WAVE', 8)) return 'audio/wav';
  }
  return start.startsWith('ftyp', 4) ? 'video/mp4' : 'application/octet-stream';
}

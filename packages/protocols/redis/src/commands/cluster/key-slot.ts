/** How many slots keys are divided into. */
export const SLOTS = 16_384;
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  return crc & 0xffff;
});

/** The slot of a key: by CRC16 (XMODEM) of what stands between its first braces, or of the whole key. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const hasTag = close > open + 1;
  const [start, end] = hasTag ? [open + 1, close] : [0, key.length];
  let crc = 0;
  for (let place = start; place < end; place += 1)
    crc = ((crc << 8) & 0xffff) ^ (TABLE[((crc >> 8) ^ key.charCodeAt(place)) & 0xff] ?? 0);
  return crc % SLOTS;
}

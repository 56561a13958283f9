const two = (value: number): string => String(value).padStart(2, '0');

/** The time of day, with milliseconds. */
export function timeOf(at: number): string {
  const date = new Date(at);
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

/** A date and a time of day. */
export function dateOf(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : `${date.toLocaleDateString()} ${date.toLocaleTimeString()}`;
}

/** A number of milliseconds for people. */
export function durationOf(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A number of bytes for people. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** Any value in one line. */
export function oneLine(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  return JSON.stringify(value);
}

/** A text for a shell, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The bytes of a text in base64; none when it is not base64. */
export function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** How many bytes are shown as a dump. */
const MAX_DUMP = 4096;

/** Bytes as a dump: offset, sixteen bytes in hexadecimal, the same as text. */
export function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, MAX_DUMP); at += 16) {
    const part = [...bytes.subarray(at, at + 16)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(48)} ${text}`);
  }
  if (bytes.length > MAX_DUMP) lines.push(`... ${bytes.length - MAX_DUMP} bytes more`);
  return lines.join('\n');
}

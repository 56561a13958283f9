/** JSON text made by a template, which stands as it is where JSON stands. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** A value as plain text: objects and lists as JSON, nothing for `null`, `undefined` and functions. */
export function toText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? '' : objectText(value);
    default:
      return '';
  }
}

/** Whether a section is not passed, by mustache's rule: false, nothing, zero, an empty text and an empty list. */
export function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : !value;
}

/** A value as JSON text; `null` for what JSON cannot hold. */
export function toJson(value: unknown): string {
  if (value instanceof JsonText) {
    return value.text;
  }
  const plain = value instanceof Uint8Array ? bytesText(value) : value;
  try {
    return JSON.stringify(plain) ?? 'null';
  } catch (thrown) {
    // Large integers are all that JSON itself refuses; to ask for each value makes it ten times as slow.
    if (thrown instanceof TypeError) return JSON.stringify(plain, jsonSafe) ?? 'null';
    throw thrown;
  }
}

/** Escapes a text for the inside of a JSON string. */
export function escapeJson(text: string): string {
  return /["\\\u0000-\u001f\ud800-\udfff]/.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

const XML: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
]);

/** Escapes a text for XML, inside of elements and of attributes (XML 1.0, section 2.4). */
export function escapeXml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (found) => XML.get(found) ?? found) : text;
}

function objectText(value: object): string {
  if (value instanceof JsonText) {
    return value.text;
  }
  if (value instanceof Uint8Array) {
    return bytesText(value);
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  }
  return toJson(value);
}

function bytesText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function jsonSafe(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

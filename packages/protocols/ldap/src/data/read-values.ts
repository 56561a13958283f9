import { isBinary } from './attribute-types.js';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * The bytes of a value as JSON has it: texts (base64 for attributes that are no text), numbers, booleans as TRUE and FALSE, and
 * `{base64}`. Lists that a template gave are several values, and `null` is none.
 *
 * @throws Error when it is no base64 and must be
 */
export function readValues(name: string, given: unknown): Buffer[] {
  if (Array.isArray(given)) return given.flatMap((one) => readValues(name, one));
  if (given === null || given === undefined) return [];
  if (typeof given === 'string') {
    return [isBinary(name) ? fromBase64(name, given) : Buffer.from(given, 'utf8')];
  }
  if (typeof given === 'boolean') return [Buffer.from(given ? 'TRUE' : 'FALSE', 'utf8')];
  if (typeof given === 'object') {
    const bytes = (given as { base64?: unknown }).base64;
    return [typeof bytes === 'string' ? fromBase64(name, bytes) : Buffer.from(JSON.stringify(given), 'utf8')];
  }
  return [Buffer.from(JSON.stringify(given), 'utf8')];
}

function fromBase64(name: string, text: string): Buffer {
  const compact = text.replace(/\s/g, '');
  if (!BASE64.test(compact)) {
    const shown = text.length > 60 ? `${text.slice(0, 60)}...` : text;
    throw new Error(`"${shown}" is no base64; values of ${name} are bytes in base64`);
  }
  return Buffer.from(compact, 'base64');
}

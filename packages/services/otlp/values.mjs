import { OtlpError } from './answers.mjs';

const invalid = (message) => new OtlpError(400, 3, message);

/** A list of a message. @throws OtlpError for what is none */
export function listOf(message, name) {
  const value = objectOf(message, 'an element')[name] ?? [];
  if (!Array.isArray(value)) throw invalid(`"${name}" must be a list`);
  return value;
}

/** @throws OtlpError for what is no object */
export function objectOf(value, name) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalid(`${name} must be an object`);
}

/** Attributes as a plain object. */
export function attributesOf(message) {
  return Object.fromEntries(
    listOf(message, 'attributes').map((one) => [String(objectOf(one, 'an attribute').key), plain(one.value)]),
  );
}

/** What a value stands for; whole numbers that JavaScript cannot hold stay texts. */
export function plain(value) {
  if (value === undefined || value === null) return null;
  const [[type, given] = []] = Object.entries(objectOf(value, 'a value'));
  switch (type) {
    case undefined:
      return null;
    case 'intValue':
      return numberOf(given);
    case 'arrayValue':
      return listOf(given, 'values').map(plain);
    case 'kvlistValue':
      return attributesOf({ attributes: listOf(given, 'values') });
    case 'stringValue':
    case 'boolValue':
    case 'doubleValue':
    case 'bytesValue':
      return given;
    default:
      throw invalid(`there are no values of type "${type}"`);
  }
}

/** A number of 64 bits, as a number where it is exact. */
export function numberOf(value) {
  if (value === undefined) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** An id in lower case. @throws OtlpError for one of another length, or of zeros alone */
export function idOf(value, name, digits) {
  const id = String(value ?? '').toLowerCase();
  if (id.length !== digits || !/^[0-9a-f]+$/.test(id) || /^0*$/.test(id))
    throw invalid(
      `"${name}" must be ${digits} hexadecimal digits that are not all zero, got ${JSON.stringify(id.slice(0, 100))}`,
    );
  return id;
}

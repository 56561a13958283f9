import { OtlpError } from './answers.mjs';
import { objectOf } from './values.mjs';

/**
 * Reads a message of JSON by a table of its fields, as {@link readMessage} does bytes: a copy that has only what the table
 * knows. What there is too much of is not looked at.
 *
 * @param what - what the message is, for errors
 * @throws OtlpError for what is not well formed; TooLargeError for more than is allowed
 */
export function readTree(given, table, allowance, what) {
  const tree = objectOf(given, what);
  const message = {};
  for (const number in table) {
    const [name, type, isList] = table[number];
    const value = tree[name];
    if (value === undefined || value === null) continue;
    if (!isList) {
      message[name] = readValue(value, type, allowance, name);
      if (type === 'uint32') allowance.takeLost(name, value);
      continue;
    }
    if (!Array.isArray(value)) throw new OtlpError(400, 3, `"${name}" must be a list`);
    const kept = value.length > allowance.most ? value.slice(0, allowance.most) : value;
    allowance.skipped += value.length - kept.length;
    message[name] = kept.map((one) => readValue(one, type, allowance, `an element of "${name}"`));
  }
  return message;
}

function readValue(value, type, allowance, name) {
  allowance.take();
  if (typeof type === 'function') return readTree(value, type(), allowance, name);
  if (typeof type === 'object') return readTree(value, type, allowance, name);
  if (typeof value === 'object')
    throw new OtlpError(400, 3, `${name} must be one value, not an object or a list`);
  if (typeof value === 'string') allowance.takeText(value);
  return value;
}

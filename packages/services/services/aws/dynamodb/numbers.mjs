import { validation } from './errors.mjs';

const MAX_DIGITS = 38;

/** A number of DynamoDB: 38 digits and an exponent. @throws what DynamoDB answers for a text that is none */
export function parseNumber(text) {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(
    typeof text === 'string' ? text.trim() : '',
  );
  if (found === null || (found[2] === '' && (found[3] ?? '') === ''))
    throw validation(`The parameter cannot be converted to a numeric value: ${String(text)}`);
  const [, sign, whole, part = '', power = '0'] = found;
  let digits = `${whole}${part}`.replace(/^0+/, '');
  let exponent = Number(power) - part.length;
  const zeros = /0*$/.exec(digits)[0].length;
  digits = digits.slice(0, digits.length - zeros);
  exponent += zeros;
  if (digits === '') return { value: 0n, exponent: 0 };
  if (digits.length > MAX_DIGITS)
    throw validation('Attempting to store more than 38 significant digits in a Number');
  const size = digits.length + exponent;
  if (size > 126)
    throw validation(
      'Number overflow. Attempting to store a number with magnitude larger than supported range',
    );
  if (size < -129)
    throw validation(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    );
  return { value: BigInt(`${sign === '-' ? '-' : ''}${digits}`), exponent };
}

function aligned(one, other) {
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = ({ value, exponent: own }) => value * 10n ** BigInt(own - exponent);
  return [scaled(one), scaled(other), exponent];
}

export function compareNumbers(one, other) {
  const [left, right] = aligned(parseNumber(one), parseNumber(other));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The sum, or the difference, of two numbers as DynamoDB writes it. */
export function addNumbers(one, other, sign = 1n) {
  const [left, right, exponent] = aligned(parseNumber(one), parseNumber(other));
  return writeNumber({ value: left + sign * right, exponent });
}

/** A number as DynamoDB writes it: without an exponent, and without zeros that say nothing. */
export function normalNumber(text) {
  return writeNumber(parseNumber(text));
}

function writeNumber({ value, exponent }) {
  if (value === 0n) return '0';
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString();
  if (digits.replace(/0+$/, '').length > MAX_DIGITS)
    throw validation('Attempting to store more than 38 significant digits in a Number');
  if (exponent >= 0) return `${sign}${digits}${'0'.repeat(exponent)}`;
  const padded = digits.padStart(1 - exponent, '0');
  const part = padded.slice(exponent).replace(/0+$/, '');
  return `${sign}${padded.slice(0, exponent)}${part === '' ? '' : `.${part}`}`;
}

const INTEGER = /^(?:0|-?[1-9][0-9]{0,18})$/;
// No text can be divided in two ways: the time stays linear in the length.
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|0x[0-9a-f]+|inf(?:inity)?)$/i;

/** The smallest and the largest integer of the protocol, which has 64 bits. */
export const MIN_INT64 = -(2n ** 63n);
/** See {@link MIN_INT64}. */
export const MAX_INT64 = 2n ** 63n - 1n;

/** A 64-bit integer in the one form that Redis takes (no sign of plus, no leading zero), else `undefined`. */
export function parseInt64(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value < MIN_INT64 || value > MAX_INT64 ? undefined : value;
}

/** Like {@link parseInt64}, as a number: exact within 2^53, near enough beyond for what is compared with lengths. */
export function parseInteger(text: string): number | undefined {
  if (text.length < 16) return INTEGER.test(text) ? Number(text) : undefined;
  const value = parseInt64(text);
  return value === undefined ? undefined : Number(value);
}

/** A floating point number, `inf` and hexadecimal included; `undefined` for anything else, NaN too. */
export function parseFloat64(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined;
  const bare = text.replace(/^[+-]/, '').toLowerCase();
  const size = bare.startsWith('inf') ? Infinity : Number(bare);
  return text.startsWith('-') ? -size : size;
}

/** A number as people write it: the shortest text that reads back as the same number. */
export function formatFloat(value: number): string {
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A score as Redis 7.0 shows it (`%.17g` of C): all digits that tell it apart, with the noise of the last. */
export function formatScore(value: number): string {
  if (Number.isInteger(value) ? Math.abs(value) < 1e17 : !Number.isFinite(value)) return formatFloat(value);
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential(16).split('e');
  const digits = mantissa.replace('.', '').replace(/0+$/, '');
  const power = Number(exponent);
  const sign = value < 0 ? '-' : '';
  if (power < -4 || power >= 17) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    const size = String(Math.abs(power)).padStart(2, '0');
    return `${sign}${digits.slice(0, 1)}${fraction}e${power < 0 ? '-' : '+'}${size}`;
  }
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const fraction = digits.slice(power + 1);
  return `${sign}${digits.slice(0, power + 1).padEnd(power + 1, '0')}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The result of an INCRBYFLOAT: never with an exponent, and without the noise of the last binary digits. */
export function formatSum(value: number): string {
  const rounded = Number(value.toPrecision(16));
  if (Number.isInteger(rounded)) return BigInt(rounded).toString();
  const text = String(rounded);
  return text.includes('e') ? rounded.toFixed(17).replace(/\.?0+$/, '') : text;
}

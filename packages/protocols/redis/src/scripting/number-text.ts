/** A number as `%.<digits>g` of C shows it. */
export function formatGeneral(value: number, digits: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  if (Number.isInteger(value) && Math.abs(value) < 1e14 && digits >= 14) return String(value);
  const sign = value < 0 ? '-' : '';
  // Up to 15 digits that tell a number apart are those it is rounded to; where more are asked for, others follow.
  const shortest = String(Math.abs(value));
  if (
    digits >= 14 &&
    digits <= 15 &&
    shortest.length <= 15 &&
    Math.abs(value) >= 1e-4 &&
    Math.abs(value) < 1e14
  )
    return `${sign}${shortest}`;
  const { shown, power } = roundTo(Math.abs(value), digits);
  const kept = shown.replace(/0+$/, '');
  if (power < -4 || power >= digits) {
    const fraction = kept.length > 1 ? `.${kept.slice(1)}` : '';
    const size = String(Math.abs(power)).padStart(2, '0');
    return `${sign}${kept.slice(0, 1)}${fraction}e${power < 0 ? '-' : '+'}${size}`;
  }
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${kept}`;
  const fraction = kept.slice(power + 1);
  return `${sign}${kept.slice(0, power + 1).padEnd(power + 1, '0')}${fraction === '' ? '' : `.${fraction}`}`;
}

/** So many digits tell whether a number lies in the middle between two shorter ones. */
const EXACT = 60;

/** The digits of a number, and the power of ten of the first. As in C the even one of two equally near is taken. */
function roundTo(value: number, digits: number): { readonly shown: string; readonly power: number } {
  const exact = value.toExponential(EXACT).replace('.', '');
  const isMiddle = /^50*$/.test(exact.slice(digits, EXACT + 1));
  const isEven = (exact.charCodeAt(digits - 1) - 48) % 2 === 0;
  if (isMiddle && isEven) return { shown: exact.slice(0, digits), power: Number(exact.split('e')[1]) };
  const [mantissa = '', power = '0'] = value.toExponential(digits - 1).split('e');
  return { shown: mantissa.replace('.', ''), power: Number(power) };
}

/** Parameters that are whole numbers, wherever they stand. */
const NUMBERS = new Set([
  'amount',
  'amount_to_capture',
  'application_fee_amount',
  'balance',
  'billing_cycle_anchor',
  'cancel_at',
  'created',
  'days_until_due',
  'due_date',
  'ending_at',
  'exp_month',
  'exp_year',
  'expires_at',
  'gt',
  'gte',
  'interval_count',
  'limit',
  'lt',
  'lte',
  'quantity',
  'trial_end',
  'trial_period_days',
  'unit_amount',
  'percent_off',
  'amount_off',
  'duration_in_months',
]);
const MAX_DEPTH = 10;

/**
 * The parameters of a call: those of the query and those of the body, nested as their names say (`items[0][price]`).
 * Numbers and truth values are such; an empty text is `null`, which removes what was there.
 */
export function parseParams({ target, raw_body: body, method }) {
  const mark = target.indexOf('?');
  const text = method === 'POST' ? String(body ?? '') : mark < 0 ? '' : target.slice(mark + 1);
  const root = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) put(root, name, value);
  return plain(root);
}

function put(root, name, value) {
  const steps = [name.replace(/\[.*$/s, ''), ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, step]) => step)];
  if (steps.length > MAX_DEPTH) return;
  let at = root;
  for (const step of steps.slice(0, -1)) {
    const key = step === '' ? String(Object.keys(at).length) : step;
    if (typeof at[key] !== 'object' || at[key] === null) at[key] = Object.create(null);
    at = at[key];
  }
  const last = steps.at(-1);
  const inMetadata = steps.length > 1 && steps.at(-2) === 'metadata';
  at[last === '' ? String(Object.keys(at).length) : last] = typed(last, value, inMetadata);
}

function typed(name, value, inMetadata) {
  if (value === '') return null;
  if (inMetadata) return value;
  if (value === 'true' || value === 'false') return value === 'true';
  return NUMBERS.has(name) && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Objects whose names are 0, 1, 2 ... are lists. */
function plain(value) {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([key], index) => key === String(index)))
    return entries.map(([, inner]) => plain(inner));
  const copy = {};
  for (const [key, inner] of entries) if (key !== '__proto__') copy[key] = plain(inner);
  return copy;
}

import { invalid } from './api.mjs';
import { REFERENCES } from './resources.mjs';
import { rowsOf } from './rows.mjs';

const MAX_LEVELS = 4;

/** Puts objects in place of their ids where a call asks for that, as in `expand[]=customer`. */
export function expanded(context, value, paths) {
  let result = value;
  for (const path of Array.isArray(paths) ? paths : []) {
    const steps = String(path).split('.');
    if (steps.length > MAX_LEVELS)
      throw invalid(`You cannot expand more than ${MAX_LEVELS} levels of a property. Property: ${path}.`);
    result = follow(context, result, steps, path);
  }
  return result;
}

function follow(context, value, [step, ...rest], path) {
  if (step === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => follow(context, item, [step, ...rest], path));
  if (typeof value !== 'object' || !Object.hasOwn(value, step))
    throw invalid(`This property cannot be expanded (${step}).`, { param: 'expand' });
  const inner = value[step];
  const reference = REFERENCES[step];
  if (typeof inner === 'string' && reference === undefined)
    throw invalid(`This property cannot be expanded (${step}).`, { param: 'expand' });
  const rows = reference === undefined ? undefined : rowsOf(context, reference);
  const object = typeof inner === 'string' && rows?.has(inner) ? rows.get(inner) : inner;
  return { ...value, [step]: follow(context, object, rest, path) };
}

import { invalid } from './api.mjs';

/** The parts of a context, each of one kind. */
export function contextsOf(context) {
  if (context.kind !== 'multi') return [context];
  return Object.entries(context)
    .filter(([kind, value]) => kind !== 'kind' && typeof value === 'object' && value !== null)
    .map(([kind, value]) => ({ ...value, kind }));
}

/** The key of the part of a kind; `undefined` when there is none. */
export function keyOf(context, kind) {
  return contextsOf(context).find((each) => each.kind === kind)?.key;
}

/** A value of one part by its name, or by a place such as `/address/city`. */
export function valueAt(one, attribute) {
  if (!attribute.startsWith('/')) return Object.hasOwn(one, attribute) ? one[attribute] : undefined;
  let value = one;
  for (const step of attribute.slice(1).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** What a client SDK says of whom it evaluates for: JSON, perhaps a user of earlier SDKs. */
export function readContext(text) {
  let context;
  try {
    context = JSON.parse(text);
  } catch {
    throw invalid('the context is no JSON');
  }
  if (typeof context !== 'object' || context === null) throw invalid('the context must be an object');
  const { custom = {}, ...user } = context;
  const whole = context.kind === undefined ? { kind: 'user', ...user, ...custom } : context;
  for (const { key } of contextsOf(whole))
    if (typeof key !== 'string' || key === '') throw invalid('a context must have a key');
  return whole;
}

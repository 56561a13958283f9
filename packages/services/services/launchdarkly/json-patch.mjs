import { invalid } from './api.mjs';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Applies a JSON patch (RFC 6902) of `add`, `replace`, `remove` and `test` to a copy. */
export function applyJsonPatch(value, patch) {
  if (!Array.isArray(patch)) throw invalid('a JSON patch is a list of operations');
  const copy = structuredClone(value);
  for (const { op, path, value: given } of patch) {
    const steps = stepsOf(path);
    const last = steps.pop();
    let place = copy;
    for (const step of steps) {
      if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) throw missing(path);
      place = place[step];
    }
    if (typeof place !== 'object' || place === null) throw missing(path);
    change(place, last, op, given, path);
  }
  return copy;
}

const missing = (path) => invalid(`there is no ${path}`);

function stepsOf(path) {
  if (typeof path !== 'string' || !path.startsWith('/')) throw invalid('path must begin with "/"');
  const steps = path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (steps.some((step) => FORBIDDEN.has(step))) throw missing(path);
  return steps;
}

function change(place, name, op, given, path) {
  const isList = Array.isArray(place);
  const at = isList && name === '-' ? place.length : isList ? Number(name) : name;
  const isThere = isList ? Number.isInteger(at) && at >= 0 && at < place.length : Object.hasOwn(place, at);
  switch (op) {
    case 'add':
      if (isList) {
        if (!Number.isInteger(at) || at < 0 || at > place.length) throw missing(path);
        place.splice(at, 0, given);
      } else place[at] = given;
      return;
    case 'replace':
      if (!isThere) throw missing(path);
      place[at] = given;
      return;
    case 'remove':
      if (!isThere) throw missing(path);
      if (isList) place.splice(at, 1);
      else delete place[at];
      return;
    case 'test':
      if (!isThere || JSON.stringify(place[at]) !== JSON.stringify(given))
        throw invalid(`the test of ${path} has failed`);
      return;
    default:
      throw invalid(`op must be add, replace, remove or test, got ${JSON.stringify(op)}`);
  }
}

import { xmlDocument } from '../../aws/xml.mjs';

/** The parameters of a call in the query protocol as nested values: `Entry.1.Id` is a member of the first of a list. */
export function readQuery(fields) {
  const root = new Map();
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'Action' || name === 'Version') continue;
    const steps = name.split('.');
    let at = root;
    for (const step of steps.slice(0, -1)) {
      if (!(at.get(step) instanceof Map)) at.set(step, new Map());
      at = at.get(step);
    }
    at.set(steps.at(-1), Array.isArray(value) ? value[0] : value);
  }
  return valueOf(root);
}

function valueOf(node) {
  if (!(node instanceof Map)) return node;
  const names = [...node.keys()];
  if (names.length === 1 && (names[0] === 'member' || names[0] === 'entry')) {
    const inner = valueOf(node.get(names[0]));
    return Array.isArray(inner) ? inner : [];
  }
  if (names.length > 0 && names.every((name) => /^\d+$/.test(name)))
    return names.sort((one, other) => one - other).map((name) => valueOf(node.get(name)));
  return Object.fromEntries(names.map((name) => [name, valueOf(node.get(name))]));
}

/** A map of entries, as lists of names and values give it. */
export function mapOf(list) {
  if (!Array.isArray(list)) return list;
  return Object.fromEntries(list.map((one) => [one.key ?? one.Name ?? one.Key, one.value ?? one.Value]));
}

/** A list whose elements follow each other under the name of the list, as SQS has them. */
export class Flat {
  constructor(list) {
    this.list = list;
  }
}

/** The answer to a call in the query protocol. Lists have `member` around what is in them, and a `Map` has entries. */
export function queryAnswer({ action, namespace, requestId }, output = {}) {
  return {
    headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': requestId },
    body: xmlDocument(
      `${action}Response`,
      { [`${action}Result`]: shown(output), ResponseMetadata: { RequestId: requestId } },
      namespace,
    ),
  };
}

function shown(value) {
  if (value instanceof Map)
    return { entry: [...value].map(([key, inner]) => ({ key, value: shown(inner) })) };
  if (value instanceof Flat) return value.list.map(shown);
  if (Array.isArray(value)) return { member: value.map(shown) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shown(inner)]));
}

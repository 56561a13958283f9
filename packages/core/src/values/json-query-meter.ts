import type { Expression, JsonP3, NodeList, Query, QueryNode, Segment, Selector } from './json-p3.js';
import type { WorkMeter } from './work-meter.js';

/** How deep lists and objects may be nested where `..` looks at them. */
const MAX_DEPTH = 500;
/** Characters of a text that are worth as much as one value. */
export const TEXT_UNIT = 16;

/**
 * Makes a compiled query, and the queries in its filters, count its steps: a query may visit the product of what its parts
 * visit, and a filter compares whole lists and objects. What it finds stays as it is.
 */
export function meterQuery(query: Query, meter: WorkMeter, library: JsonP3): void {
  for (const segment of query.segments) {
    if ('visit' in segment) setOwn(segment, 'visit', (node: QueryNode) => visit(node, meter));
    for (const selector of segment.selectors) meterSelector(selector, meter, library);
  }
  // The library's own spreads lists into arguments, of which there may not be many.
  setOwn(query, 'query', (value: unknown): NodeList => {
    meter.spend(1);
    return new library.JSONPathNodeList([...query.lazyQuery(value)]);
  });
}

function meterSelector(selector: Selector, meter: WorkMeter, library: JsonP3): void {
  const resolve = selector.resolve.bind(selector);
  // A name and an index look at one place; what has neither looks at all.
  const isWide = !('name' in selector || 'index' in selector);
  setOwn(selector, 'resolve', (node: QueryNode): QueryNode[] => {
    meter.spend(isWide ? 1 + widthOf(node.value) : 1);
    return resolve(node);
  });
  if (selector.expression !== undefined) meterExpression(selector.expression, meter, library);
}

function meterExpression(expression: Expression, meter: WorkMeter, library: JsonP3): void {
  const { left, right, operator, path } = expression;
  if (path !== undefined) meterQuery(path, meter, library);
  const parts = [left, right, expression.expression, ...(expression.args ?? [])];
  for (const part of parts) if (part !== undefined) meterExpression(part, meter, library);
  if (operator === '==' || operator === '!=' || operator === '<=' || operator === '>=') {
    for (const part of [left, right]) if (part !== undefined) meterOperand(part, meter, library);
  }
}

/** Counts the size of what is compared. */
function meterOperand(operand: Expression, meter: WorkMeter, { JSONPathNodeList }: JsonP3): void {
  const evaluate = operand.evaluate.bind(operand);
  setOwn(operand, 'evaluate', (context: unknown): unknown => {
    const value = evaluate(context);
    const compared = value instanceof JSONPathNodeList ? value.nodes[0]?.value : value;
    meter.spend(typeof compared === 'object' && compared !== null ? sizeOf(compared) : 1);
    return value;
  });
}

/** All that is in a value, itself first, in the order in which it is written. */
function* visit(node: QueryNode, meter: WorkMeter): Generator<QueryNode> {
  const around: Iterator<unknown>[] = [];
  meter.spend(1);
  yield node;
  for (let inside = childrenOf(node.value); inside !== undefined;) {
    const next = inside.next();
    if (next.done === true) {
      inside = around.pop();
      continue;
    }
    const { value } = next;
    meter.spend(1);
    yield { value, location: NOWHERE, root: node.root };
    const below = childrenOf(value);
    if (below === undefined) continue;
    if (around.length >= MAX_DEPTH) throw new RangeError('nested too deep');
    around.push(inside);
    inside = below;
  }
}

/** Where a value was found is asked by nobody. */
const NOWHERE: readonly (string | number)[] = [];

function childrenOf(value: unknown): Iterator<unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (Array.isArray(value) ? (value as unknown[]) : Object.values(value))[Symbol.iterator]();
}

function widthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** How many values a value holds, itself included; long texts count as several. */
export function sizeOf(value: unknown): number {
  let size = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    size += 1;
    if (typeof next === 'string') size += next.length / TEXT_UNIT;
    else if (typeof next === 'object' && next !== null) {
      for (const item of Array.isArray(next) ? (next as unknown[]) : Object.values(next)) left.push(item);
    }
  }
  return size;
}

function setOwn<Target extends Query | Segment | Selector | Expression, Name extends keyof Target>(
  target: Target,
  name: Name,
  value: Target[Name],
): void {
  target[name] = value;
}

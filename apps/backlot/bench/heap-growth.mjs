// Compares heap snapshots, such as those of `pnpm bench soak --snapshots /folder`: of which constructors the last holds more
// than the first, in their own bytes, and for the worst of them who holds the newest. What is of the type `code` is V8's.
// `pnpm bench heap-growth /folder/soak-4.heapsnapshot /folder/soak-8.heapsnapshot`
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const SHOWN = 40;
const HELD_SHOWN = 8;
const PATH_LENGTH = 14;

/** @param {string} file */
function load(file) {
  const { snapshot, nodes, edges, strings } = JSON.parse(readFileSync(file, 'utf8'));
  const {
    node_fields: nodeFields,
    edge_fields: edgeFields,
    node_types: nodeTypes,
    edge_types: edgeTypes,
  } = snapshot.meta;
  return {
    nodes,
    edges,
    strings,
    width: nodeFields.length,
    edgeWidth: edgeFields.length,
    nodeTypes: nodeTypes[0],
    edgeTypes: edgeTypes[0],
    /** @param {string} name */
    field: (name) => nodeFields.indexOf(name),
    /** @param {string} name */
    edgeField: (name) => edgeFields.indexOf(name),
  };
}

/** @typedef {ReturnType<typeof load>} Heap */

/** What a node is called in the table: its type, and its constructor or, of what has none, the start of its name. @param {Heap} heap @param {number} at */
function nameOf(heap, at) {
  const type = heap.nodeTypes[heap.nodes[at + heap.field('type')]];
  const name = heap.strings[heap.nodes[at + heap.field('name')]];
  return type === 'string' || type === 'concatenated string' || type === 'sliced string'
    ? `(${type})`
    : `${type} ${name.slice(0, 70)}`;
}

/** Count and own bytes by name. @param {Heap} heap */
function summarize(heap) {
  /** @type {Map<string, { count: number, bytes: number }>} */
  const found = new Map();
  for (let at = 0; at < heap.nodes.length; at += heap.width) {
    const name = nameOf(heap, at);
    const entry = found.get(name) ?? { count: 0, bytes: 0 };
    entry.count += 1;
    entry.bytes += heap.nodes[at + heap.field('self_size')];
    found.set(name, entry);
  }
  return found;
}

/** Who first reached each node, from the root on: for the shortest paths. @param {Heap} heap */
function walk(heap) {
  const { nodes, edges, width, edgeWidth } = heap;
  const count = nodes.length / width;
  const firstEdge = new Float64Array(count + 1);
  for (let index = 0, edge = 0; index < count; index += 1) {
    firstEdge[index] = edge;
    edge += nodes[index * width + heap.field('edge_count')] * edgeWidth;
    firstEdge[index + 1] = edge;
  }
  const by = new Int32Array(count).fill(-1);
  const via = new Float64Array(count);
  const queue = [0];
  by[0] = 0;
  for (let head = 0; head < queue.length; head += 1) {
    const index = queue[head] ?? 0;
    for (let edge = firstEdge[index] ?? 0; edge < (firstEdge[index + 1] ?? 0); edge += edgeWidth) {
      if (heap.edgeTypes[edges[edge + heap.edgeField('type')]] === 'weak') continue;
      const to = edges[edge + heap.edgeField('to_node')] / width;
      if (by[to] !== -1) continue;
      by[to] = index;
      via[to] = edge;
      queue.push(to);
    }
  }
  return { by, via };
}

/** @param {Heap} heap @param {ReturnType<typeof walk>} walked @param {number} index */
function pathTo(heap, { by, via }, index) {
  const steps = [];
  for (let at = index; at !== 0 && steps.length < PATH_LENGTH; at = by[at] ?? 0) {
    if (by[at] === -1) return 'nobody';
    const edge = via[at] ?? 0;
    const type = heap.edgeTypes[heap.edges[edge + heap.edgeField('type')]];
    const label = heap.edges[edge + heap.edgeField('name_or_index')];
    const isNumber = type === 'element' || type === 'hidden';
    steps.push(`${nameOf(heap, (by[at] ?? 0) * heap.width)}.${isNumber ? '[]' : heap.strings[label]}`);
  }
  return steps.join(' <- ');
}

const files = process.argv.slice(2);
if (files.length < 2) {
  console.error('usage: pnpm bench heap-growth <first.heapsnapshot> ... <last.heapsnapshot>, absolute paths');
  process.exit(1);
}
const summaries = [];
/** Those that the last snapshot but one holds. @type {Set<number>} */
let known = new Set();
/** @type {Heap | undefined} */
let last;
for (const file of files) {
  known = new Set();
  if (last !== undefined)
    for (let at = 0; at < last.nodes.length; at += last.width) known.add(last.nodes[at + last.field('id')]);
  last = load(file);
  summaries.push(summarize(last));
}
const first = summaries[0] ?? new Map();
const newest = summaries.at(-1) ?? new Map();
const grown = [...newest]
  .map(([name, { bytes }]) => ({ name, growth: bytes - (first.get(name)?.bytes ?? 0) }))
  .sort((a, b) => b.growth - a.growth);
console.log(`| name | ${files.map((file) => basename(file)).join(' | ')} |`);
for (const { name, growth } of grown.slice(0, SHOWN))
  console.log(
    `| ${name} | ${summaries.map((each) => `${each.get(name)?.count ?? 0}: ${((each.get(name)?.bytes ?? 0) / 1024).toFixed(0)} KiB`).join(' | ')} | ${(growth / 1024).toFixed(0)} |`,
  );
const total = (/** @type {typeof first} */ summary) =>
  [...summary.values()].reduce((sum, { bytes }) => sum + bytes, 0);
console.log(`all: ${summaries.map((each) => (total(each) / 1048576).toFixed(2)).join(' ')} MiB`);
if (last !== undefined) {
  const heap = last;
  const walked = walk(heap);
  for (const { name } of grown.slice(0, HELD_SHOWN)) {
    /** @type {Map<string, number>} */
    const paths = new Map();
    for (let at = 0; at < heap.nodes.length; at += heap.width) {
      if (known.has(heap.nodes[at + heap.field('id')]) || nameOf(heap, at) !== name) continue;
      const path = pathTo(heap, walked, at / heap.width);
      paths.set(path, (paths.get(path) ?? 0) + 1);
    }
    console.log(`\n${name}, made since the last snapshot but one, held by`);
    for (const [path, count] of [...paths].sort((a, b) => b[1] - a[1]).slice(0, 6))
      console.log(`  ${count} ${path}`);
  }
}

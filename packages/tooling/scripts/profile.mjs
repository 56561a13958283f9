import { readFileSync } from 'node:fs';

/**
 * Prints what the time in which a process was busy went to, by a profile of V8: first to whom it belongs, then the functions.
 */
const [file, most = '40'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node packages/tooling/scripts/profile.mjs FILE [FUNCTIONS]');
  process.exit(1);
}
/** Functions of the engine that call the system. */
const CALLS = /^(write|send|shutdown|close|read)/;

/** @type {import('node:inspector').Profiler.Profile} */
const { nodes, samples = [], timeDeltas = [] } = JSON.parse(readFileSync(file, 'utf8'));
const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
/** @type {Map<string, number>} */
const groups = new Map();
/** @type {Map<string, number>} */
const functions = new Map();
let busy = 0;
/** @param {Map<string, number>} shares @param {string} name @param {number} time */
const add = (shares, name, time) => shares.set(name, (shares.get(name) ?? 0) + time);
for (const [index, id] of samples.entries()) {
  const frame = frames.get(id);
  if (frame === undefined) continue;
  const { functionName, url, lineNumber } = frame;
  // The second is what the profiler itself does.
  if (functionName === '(idle)' || (functionName === 'dispatch' && url === '')) continue;
  const time = timeDeltas[index] ?? 0;
  const path = url.replace(/.*\/(packages|node_modules)\//, '');
  const place = url === '' ? '' : ` ${path}:${lineNumber + 1}`;
  add(functions, `${functionName || '(anonymous)'}${place}`, time);
  add(groups, groupOf(functionName, path), time);
  busy += time;
}
console.log(`busy for ${(busy / 1000).toFixed(0)} ms\n`);
print(groups, Infinity);
console.log('');
print(functions, Number(most));

/** @param {string} name @param {string} path */
function groupOf(name, path) {
  if (name === '(garbage collector)') return 'collector';
  if (path === '') return CALLS.test(name) ? 'calls of the system' : 'functions of the engine';
  if (path.startsWith('node:')) return 'Node.js';
  const [first, second] = path.split('/');
  return first === 'protocols' ? `${first}/${second}` : (first ?? path);
}

/** @param {Map<string, number>} shares @param {number} count */
function print(shares, count) {
  for (const [name, time] of [...shares].sort(([, a], [, b]) => b - a).slice(0, count))
    console.log(`${((100 * time) / busy).toFixed(1).padStart(5)} % ${name}`);
}

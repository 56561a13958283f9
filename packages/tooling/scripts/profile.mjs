import { readFileSync } from 'node:fs';

/** Prints what functions took of the time in which a process was busy, by a profile of V8. */
const [file, most = '40'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node packages/tooling/scripts/profile.mjs FILE [FUNCTIONS]');
  process.exit(1);
}
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
const shares = new Map();
let busy = 0;
for (const [index, id] of samples.entries()) {
  const { functionName, url, lineNumber } = frames.get(id);
  if (functionName === '(idle)') continue;
  const place = url === '' ? '' : ` ${url.replace(/.*\/(packages|node_modules)\//, '')}:${lineNumber + 1}`;
  const name = `${functionName || '(anonymous)'}${place}`;
  shares.set(name, (shares.get(name) ?? 0) + timeDeltas[index]);
  busy += timeDeltas[index];
}
console.log(`busy for ${(busy / 1000).toFixed(0)} ms`);
for (const [name, time] of [...shares].sort(([, a], [, b]) => b - a).slice(0, Number(most)))
  console.log(`${((100 * time) / busy).toFixed(1).padStart(5)} % ${name}`);

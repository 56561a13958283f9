import { listDefaultPorts, occupy } from './lib/occupy.mjs';
import { run } from './lib/run.mjs';

/**
 * Runs a command while every default port of Backlot is taken by something else, as on a machine where Redis, a web
 * server and a broker run: `npm test` must pass beside them. Ends as the command does.
 */
const [command, ...args] = process.argv.slice(2);
if (command === undefined || command.startsWith('-')) {
  console.error('usage: node packages/tooling/scripts/occupy-ports.mjs COMMAND [ARG...]');
  process.exit(1);
}

/** @type {Set<string>} */
const talked = new Set();
const release = await occupy(listDefaultPorts(), (port, transport) => {
  const place = `${port} (${transport})`;
  if (!talked.has(place)) console.error(`something talked to the occupied port ${place}`);
  talked.add(place);
});
try {
  process.exitCode = (await run(command, args)).code;
} finally {
  await release();
}

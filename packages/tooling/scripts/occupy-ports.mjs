import { listDefaultPorts, occupy } from './lib/occupy.mjs';
import { run } from './lib/run.mjs';

/**
 * Runs a command while every default port of Backlot is taken by something else, as on a machine where Redis, a web
 * server and a broker run: `npm test` must pass beside them, and have nothing to do with them. Ends as the command does,
 * and with 1 when one of these ports was talked to.
 */
const USAGE = `usage: node packages/tooling/scripts/occupy-ports.mjs [--ports PORT,PORT...] COMMAND [ARG...]`;

const words = process.argv.slice(2);
const chosen = words[0] === '--ports' ? words.splice(0, 2)[1] : undefined;
const ports = chosen?.split(',').map(Number) ?? listDefaultPorts();
const [command, ...args] = words;
if (command === undefined || command.startsWith('-') || !ports.every((port) => port > 0 && port < 65_536)) {
  console.error(USAGE);
  process.exit(1);
}

/** @type {Set<string>} */
const talked = new Set();
const release = await occupy(ports, (port, transport) => {
  const place = `${port} (${transport})`;
  // At once, so that it stands where the test does that talks.
  if (!talked.has(place))
    console.error(
      `error: something talked to port ${place}, which belongs to another program: a test takes a port of its own`,
    );
  talked.add(place);
});
try {
  process.exitCode = (await run(command, args)).code || (talked.size === 0 ? 0 : 1);
} finally {
  await release();
}

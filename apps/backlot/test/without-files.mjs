// Loaded into a command by `--import`: takes all files that the system gives once so many ports listen, before anything else is
// loaded, and gives them back at SIGUSR2.
import { closeSync, openSync } from 'node:fs';
import { Server } from 'node:net';
import { devNull } from 'node:os';

const files = [];
let left = Number(process.env.LISTENERS);
const emit = Server.prototype.emit;
Server.prototype.emit = function (event, ...args) {
  if (event === 'listening' && --left === 0) takeAll();
  return emit.call(this, event, ...args);
};
process.on('SIGUSR2', () => {
  for (const file of files.splice(0)) closeSync(file);
  process.stderr.write('files are free\n');
});

function takeAll() {
  try {
    for (;;) files.push(openSync(devNull, 'r'));
  } catch {
    // There are no more.
  }
  process.stderr.write('files are taken\n');
}

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Starts the command in a process of its own that tells what it holds after a collection; see `soak-probe.mjs`.
 *
 * @param {object} config
 */
export async function startProbedServer(config) {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-probed-'));
  writeFileSync(join(folder, 'backlot.json'), JSON.stringify(config));
  const args = ['--expose-gc', '--import', at('soak-probe.mjs'), at('../../bin/backlot.js')];
  const server = spawn(process.execPath, [...args, 'start', '-c', 'backlot.json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const url = await new Promise((resolve, reject) => {
    let output = '';
    server.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)));
    server.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = /^ready .*\bapi=(\S+)/m.exec(output);
      if (found !== null) resolve(found[1]);
    });
  });
  return {
    /** What `GET /api/protocols` answers, by kind. */
    async kinds() {
      const kinds = /** @type {any[]} */ (await (await fetch(`${url}/api/protocols`)).json());
      return new Map(kinds.map((kind) => [kind.protocol, kind]));
    },
    /** Memory after a collection, and the longest stall since this was asked last. */
    measure() {
      return /** @type {Promise<{ heapUsed: number, rss: number, stall: number }>} */ (
        new Promise((resolve) => {
          server.once('message', resolve);
          server.send({});
        })
      );
    },
    async stop() {
      server.kill();
      await new Promise((resolve) => server.once('exit', resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

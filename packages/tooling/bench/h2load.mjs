import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CONNECTIONS = 8;
const STREAMS = 16;

/**
 * Loads a server of HTTP/2 in the clear with calls of gRPC by h2load: eight connections, each with sixteen streams at a time.
 * Every answer must have the status 200.
 *
 * @param {object} load
 * @param {number} load.port
 * @param {number} load.milliseconds
 * @param {string} load.path - of the method, such as `/bench.Users/Get`
 * @param {Uint8Array} load.message - the request message, without the five bytes before it
 * @returns {Promise<{ count: number, milliseconds: number }>} how many were answered
 */
export async function loadH2({ port, milliseconds, path, message }) {
  const seconds = Math.ceil(milliseconds / 1000);
  const folder = mkdtempSync(join(tmpdir(), 'backlot-h2load-'));
  const file = join(folder, 'body');
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  writeFileSync(file, Buffer.concat([head, message]));
  const args = [
    ...['-t', 1, '-c', CONNECTIONS, '-m', STREAMS, '-D', seconds, '-d', file],
    ...['-H', 'content-type: application/grpc', '-H', 'te: trailers', `http://127.0.0.1:${port}${path}`],
  ];
  try {
    return await new Promise((resolve, reject) => {
      execFile('h2load', args.map(String), (error, out) => {
        // Those that were under way when the time was over count as failed.
        const found = /^finished in ([\d.]+)s, ([\d.]+) req\/s/m.exec(out);
        const good = Number(/^status codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx/m.exec(out)?.[1]);
        if (error !== null || found === null || !(good > 0)) reject(new Error(`h2load: ${error}\n${out}`));
        else resolve({ count: good, milliseconds: Number(found[1]) * 1000 });
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

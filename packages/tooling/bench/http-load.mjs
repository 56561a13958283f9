import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countByMark, loadStreams } from './loads.mjs';
import { isInstalled } from './servers.mjs';

const CONNECTIONS = 50;
const SCRIPT = fileURLToPath(new URL('./requests.lua', import.meta.url));

/**
 * Loads a server of HTTP/1.1 over fifty connections, each with one request at a time: by wrk, and where it is not installed by a
 * client in this process. Every answer must be a 200.
 *
 * @param {object} load
 * @param {number} load.port
 * @param {number} load.milliseconds
 * @param {readonly { path: string, method?: string, type?: string, body?: string }[]} load.requests
 * @returns {Promise<number | { count: number, milliseconds: number }>} how many were answered
 */
export function loadHttp({ port, milliseconds, requests }) {
  return isInstalled('wrk') ? byWrk(port, milliseconds, requests) : byStreams(port, milliseconds, requests);
}

async function byWrk(port, milliseconds, requests) {
  const seconds = Math.ceil(milliseconds / 1000);
  const folder = mkdtempSync(join(tmpdir(), 'backlot-wrk-'));
  const file = join(folder, 'requests');
  const lines = requests.map(({ method = 'GET', path, type = '', body = '' }) =>
    [method, path, type, body].join('\t'),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  const limits = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`];
  try {
    return await new Promise((resolve, reject) => {
      execFile('wrk', [...limits, '-s', SCRIPT, `http://127.0.0.1:${port}`, '--', file], (error, out) => {
        const found = /Requests\/sec:\s+([\d.]+)/.exec(out);
        if (error !== null || found === null || out.includes('Non-2xx')) reject(new Error(`wrk: ${out}`));
        else resolve({ count: Number(found[1]) * seconds, milliseconds: seconds * 1000 });
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function byStreams(port, milliseconds, requests) {
  const encoded = requests.map(({ method = 'GET', path, type, body = '' }) => {
    const content = type === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${content}\r\n${body}`;
  });
  return loadStreams({
    port,
    milliseconds,
    connections: CONNECTIONS,
    ask: (n, index) => encoded[(index * 617 + n * 7) % encoded.length] ?? '',
    counter: () => countByMark('HTTP/1.1 200 '),
  });
}

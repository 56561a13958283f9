// How long a change takes until all replicas have made it, and a match that changes what they share.
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, call, MOCKS } from './cluster-clients.mjs';
import { engineOf, freePort, replicaOf } from './cluster-processes.mjs';

/** So many are made before it is measured, a hundred by each replica of five, whose code is compiled meanwhile. */
const WARM_UP = 500;
const PAUSE = 5;

/**
 * Measures one after the other, on a cluster that nothing else is asked of.
 *
 * @param {{ engine: string, replicas: number, writes: number }} how
 * @returns {Promise<readonly { what: string, median: number, p99: number }[]>} milliseconds
 */
export async function measureWrites({ engine: name, replicas: size, writes }) {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-cluster-'));
  mkdirSync(join(folder, 'engine'));
  writeFileSync(join(folder, 'backlot.json'), JSON.stringify({ protocols: { http: { mocks: MOCKS } } }));
  const port = await freePort();
  const engine = engineOf(name, port, join(folder, 'engine'));
  /** @type {{ place: import('./cluster-clients.mjs').Place, program: import('./cluster-processes.mjs').Program }[]} */
  const replicas = [];
  try {
    await engine.program.start();
    for (let index = 0; index < size; index += 1) {
      const [apiPort, httpPort, redisPort] = [await freePort(), await freePort(), await freePort()];
      const replica = `r${index + 1}`;
      const url = `${engine.scheme}://127.0.0.1:${port}`;
      const place = /** @type {import('./cluster-clients.mjs').Place} */ ({
        name: replica,
        apiPort,
        httpPort,
        redisPort,
      });
      replicas.push({
        place,
        program: replicaOf({ name: replica, url, folder, apiPort, httpPort, redisPort }),
      });
    }
    await Promise.all(replicas.map(({ program }) => program.start()));
    const ways = {
      'a change, made by all': (
        /** @type {import('./cluster-clients.mjs').Place} */ place,
        /** @type {number} */ n,
      ) => call(place, 'POST', '/state', { n: String(n) }),
      'a match that sets state': (/** @type {import('./cluster-clients.mjs').Place} */ place) =>
        ask(place.httpPort, '/state'),
      'a match of a sequence': (/** @type {import('./cluster-clients.mjs').Place} */ place) =>
        ask(place.httpPort, '/turns'),
    };
    const found = [];
    for (const [what, way] of Object.entries(ways)) {
      const times = [];
      for (let n = 0; n < writes + WARM_UP; n += 1) {
        const { place } = /** @type {(typeof replicas)[0]} */ (replicas[n % replicas.length]);
        const begun = performance.now();
        const { status, text } = await way(place, n);
        if (status !== 200) throw new Error(`${what} was answered ${status}: ${text}`);
        if (n >= WARM_UP) times.push(performance.now() - begun);
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
      times.sort((a, b) => a - b);
      const at = (/** @type {number} */ part) => times[Math.floor(times.length * part)] ?? 0;
      found.push({ what, median: at(0.5), p99: at(0.99) });
    }
    return found;
  } finally {
    await Promise.all(replicas.map(({ program }) => program.end()));
    await engine.program.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

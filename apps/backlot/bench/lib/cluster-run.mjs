// One run of a cluster in trouble: what is driven, what is done to it, and what must hold in the end.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, Client, MOCKS, StoreClient } from './cluster-clients.mjs';
import { History, Received } from './cluster-history.mjs';
import { linkTo } from './cluster-link.mjs';
import { engineOf, freePort, replicaOf } from './cluster-processes.mjs';

const CLIENTS = 6;
/** How often it is tried to start a replica. */
const STARTS = 10;
/** After so many milliseconds without a word another one is the home for certain. */
const HOME_PAUSE = 5_000;
/** For how long a cluster that is to be whole again may stand still, in milliseconds. */
const RECOVERY = 90_000;
const CONFIG = {
  logs: { max_entries: 1_000_000, max_bytes: 1_000_000_000 },
  protocols: { http: { mocks: MOCKS }, redis: { mode: 'stateful' } },
};

/** Numbers that a seed gives. @param {number} seed @returns {(most: number) => number} */
function numbersOf(seed) {
  let state = seed >>> 0;
  return (most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, most);
  };
}

const sleep = (/** @type {number} */ time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * Runs a cluster in trouble.
 *
 * @param {{ seed: number, seconds: number, engine: string, data: string, replicas: number, pause: number }} how `data` is what the next home begins with
 * @returns {Promise<{ problems: string[], checked: string, troubles: Record<string, number>, requests: number, statuses: Record<string, number> }>}
 */
export async function runCluster({ seed, seconds, engine: engineName, data, replicas: size, pause }) {
  const pick = numbersOf(seed);
  const folder = mkdtempSync(join(tmpdir(), 'backlot-cluster-'));
  mkdirSync(join(folder, 'engine'));
  writeFileSync(join(folder, 'backlot.json'), JSON.stringify(CONFIG));
  const enginePort = await freePort();
  const engine = engineOf(engineName, enginePort, join(folder, 'engine'));
  /** @type {(import('./cluster-clients.mjs').Place & { link: import('./cluster-link.mjs').Link, program: import('./cluster-processes.mjs').Program })[]} */
  const places = [];
  /** @type {Record<string, number>} */
  const troubles = {};
  const history = new History();
  try {
    await engine.program.start();
    for (let index = 0; index < size; index += 1) {
      const link = await linkTo(enginePort);
      const name = `r${index + 1}`;
      const [apiPort, httpPort, redisPort] = [await freePort(), await freePort(), await freePort()];
      const url = `${engine.scheme}://127.0.0.1:${link.port}`;
      const program = replicaOf({ name, url, folder, apiPort, httpPort, redisPort, data });
      places.push({ name, apiPort, httpPort, redisPort, link, program, received: new Received() });
    }
    await Promise.all(places.map(({ program }) => program.start()));
    const [first] = places;
    if (first === undefined) throw new Error('a cluster has replicas');
    await whole(places);
    const { status } = await call(first, 'POST', '/spaces', { id: 'counter' });
    // On a busy machine a replica may take longer than a change waits for it; it is made all the same.
    if (status === 504) await whole(places);
    else if (status !== 201) throw new Error(`the space of the counter was answered ${status}`);
    let isOver = false;
    const parts = { history, places, pick, pause, isOver: () => isOver };
    const clients = Array.from({ length: CLIENTS }, (_, index) => new Client(`c${index}`, parts).run());
    clients.push(new StoreClient(parts).run());
    const end = performance.now() + seconds * 1_000;
    try {
      while (performance.now() < end) {
        const name = await trouble({ places, engine: engine.program, pick });
        troubles[name] = (troubles[name] ?? 0) + 1;
        await sleep(200 + pick(1_500));
      }
    } finally {
      isOver = true;
    }
    await Promise.all(clients);
    await whole(places);
    const problems = [
      ...history.problems,
      ...history.stepProblems(),
      ...history.storeProblems(
        data === 'snapshot',
        Object.values(troubles).reduce((sum, times) => sum + times, 0),
      ),
      ...(await compare(places, history)),
    ];
    const requests = [...history.statuses.values()].reduce((sum, count) => sum + count, 0);
    const checked = `${size} replicas tell the same in one order; ${history.describe()}; gathered counts are the requests sent`;
    return {
      problems,
      checked,
      troubles,
      requests,
      statuses: Object.fromEntries([...history.statuses].sort()),
    };
  } finally {
    await Promise.all(places.map(({ program }) => program.end()));
    for (const { link } of places) link.close();
    await engine.program.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Waits until all are one cluster again.
 *
 * @param {readonly (import('./cluster-clients.mjs').Place & { program: import('./cluster-processes.mjs').Program })[]} places
 */
async function whole(places) {
  let until = performance.now() + RECOVERY;
  let last = '';
  while (performance.now() < until) {
    const answers = await Promise.all(places.map((place) => call(place, 'GET', '/cluster')));
    const seen = answers
      .map(({ status, text }, index) => `${places[index]?.name}: ${status} ${text}`)
      .join('\n');
    // On a busy machine it takes as long as it takes.
    if (seen !== last) until = performance.now() + RECOVERY;
    last = seen;
    const isWhole = answers.every(({ status, text }) => {
      if (status !== 200) return false;
      const { reached, obstacle, replicas } = JSON.parse(text);
      const isReady = replicas.every((/** @type {{ ready: boolean }} */ { ready }) => ready);
      return reached && obstacle === undefined && isReady && replicas.length === places.length;
    });
    if (isWhole) return;
    await sleep(200);
  }
  const said = places
    .map(({ name, program }) => `${name} says:\n${program.said.slice(-15).join('\n')}`)
    .join('\n');
  throw new Error(
    `the cluster was not whole again, and stood still for ${RECOVERY / 1_000} s:\n${last}\n${said}`,
  );
}

/**
 * Starts a replica, and again where the engine did not answer it in time, as whatever keeps services running does.
 *
 * @param {import('./cluster-processes.mjs').Program} program
 */
async function startAgain(program) {
  for (let left = STARTS; ; left -= 1) {
    try {
      await program.start();
      return;
    } catch (thrown) {
      if (left === 1 || !String(thrown).includes('cannot be joined')) throw thrown;
      await sleep(1_000);
    }
  }
}

/**
 * One trouble, and its end.
 *
 * @param {{ places: (import('./cluster-clients.mjs').Place & { link: import('./cluster-link.mjs').Link, program: import('./cluster-processes.mjs').Program })[], engine: import('./cluster-processes.mjs').Program, pick: (most: number) => number }} parts
 * @returns {Promise<string>} what it was
 */
async function trouble({ places, engine, pick }) {
  const place = places[pick(places.length)];
  if (place === undefined) return 'none';
  const { link, program } = place;
  const time = 100 + pick(4_000);
  /** Another process has a log of its own. @param {NodeJS.Signals} signal @param {number} pause */
  const anew = async (signal, pause) => {
    place.received = new Received();
    place.received.isLost = true;
    await program.end(signal);
    await sleep(pause);
    place.received = new Received();
    await startAgain(program);
  };
  switch (pick(10)) {
    case 0:
      await engine.end();
      await sleep(time);
      await engine.start();
      return 'engine killed';
    case 1:
      engine.signal('SIGSTOP');
      await sleep(time);
      engine.signal('SIGCONT');
      return 'engine paused';
    case 2:
    case 3:
      await anew('SIGKILL', time);
      return 'replica killed';
    case 4:
      await anew('SIGTERM', 0);
      return 'replica stopped';
    case 5:
      program.signal('SIGSTOP');
      await sleep(time);
      program.signal('SIGCONT');
      return 'replica paused';
    case 9: {
      const name = await homeOf(places);
      const home = places.find((each) => each.name === name);
      if (home === undefined) return 'no home to be paused';
      // So long that another one is the home before it goes on.
      home.program.signal('SIGSTOP');
      await sleep(HOME_PAUSE + time);
      home.program.signal('SIGCONT');
      return 'home paused';
    }
    case 6:
      link.cut(true);
      await sleep(time);
      link.cut(false);
      return 'cut off';
    case 7:
      link.hold(true);
      await sleep(time);
      link.hold(false);
      return 'nothing let through';
    default:
      link.delay(20 + pick(400));
      await sleep(time);
      link.delay(0);
      return 'slow';
  }
}

/** The name of the home, as the first one that answers says. @param {readonly import('./cluster-clients.mjs').Place[]} places @returns {Promise<string | null>} */
async function homeOf(places) {
  for (const place of places) {
    const { status, text } = await call(place, 'GET', '/cluster');
    if (status === 200) return JSON.parse(text).home ?? null;
  }
  return null;
}

/**
 * What does not hold now that all is at rest.
 *
 * @param {readonly import('./cluster-clients.mjs').Place[]} places
 * @param {History} history
 * @returns {Promise<string[]>}
 */
async function compare(places, history) {
  /** @type {string[]} */
  const problems = [];
  const [first] = places;
  if (first === undefined) return problems;
  // Whatever arrived late has come before this.
  const last = await call(first, 'POST', '/state', { end: 'yes' });
  if (last.status !== 200) problems.push(`the last change was answered ${last.status}: ${last.text}`);
  const pictures = await Promise.all(places.map((place) => pictureOf(place, last.revision)));
  pictures.forEach((picture, index) => {
    if (picture !== pictures[0])
      problems.push(
        `${places[index]?.name} differs from ${first.name}: ${differenceOf(pictures[0] ?? '', picture)}`,
      );
  });
  const there = new Set(
    JSON.parse((await call(first, 'GET', '/mocks/http')).text).map(
      (/** @type {{ id: string }} */ { id }) => id,
    ),
  );
  for (const [id, fate] of history.fates) {
    if (fate === 'there' && !there.has(id)) problems.push(`${id} was created, and is not there`);
    if (fate === 'gone' && there.has(id)) problems.push(`${id} was removed, and is there`);
  }
  const state = JSON.parse((await call(first, 'GET', '/spaces/counter/state')).text);
  const count = Number(state.count ?? 0);
  const { certain, unknown } = history.counter;
  if (count < certain || count > certain + unknown)
    problems.push(`the counter is ${count}, and was moved ${certain} times, perhaps ${unknown} more`);
  const least = places.reduce((sum, { received }) => sum + received.certain, 0);
  const most = least + places.reduce((sum, { received }) => sum + received.unknown, 0);
  for (const place of places) {
    const { status, text } = await call(place, 'GET', '/logs/count?protocol=http');
    const told = status === 200 ? JSON.parse(text).count : `${status} ${text}`;
    if (!(told >= least && told <= most))
      problems.push(`${place.name} tells of ${told} messages, and ${least} to ${most} were received`);
  }
  return problems;
}

/**
 * All that replicas agree on, in its order.
 *
 * @param {import('./cluster-clients.mjs').Place} place
 * @param {number} revision
 * @returns {Promise<string>}
 */
async function pictureOf(place, revision) {
  const spaces = await call(place, 'GET', `/spaces?at_least=${revision}`);
  if (spaces.status !== 200) return `spaces: ${spaces.status} ${spaces.text}`;
  const ids = JSON.parse(spaces.text).map((/** @type {{ id: string }} */ { id }) => id);
  const paths = ['', ...ids.map((/** @type {string} */ id) => `/spaces/${id}`)].flatMap((base) => [
    ...[`${base}/mocks/http`, `${base}/state`, `${base}/collections`],
  ]);
  const parts = [JSON.stringify(ids)];
  for (const path of [...paths, '/collections/jobs/rows']) {
    const { status, text } = await call(place, 'GET', path);
    parts.push(`${path} ${status} ${path.endsWith('/state') ? sorted(text) : text}`);
  }
  return parts.join('\n');
}

/** The keys of the state have no order. @param {string} text */
function sorted(text) {
  return JSON.stringify(Object.entries(JSON.parse(text)).sort());
}

/** @param {string} a @param {string} b */
function differenceOf(a, b) {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, index) => line !== right[index]);
  return `${left[at]?.slice(0, 600)}\nand\n${right[at]?.slice(0, 600)}`;
}

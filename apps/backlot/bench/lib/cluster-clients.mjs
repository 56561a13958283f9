// Clients that ask the replicas of a cluster for changes, reads and mocks, one request after the other.
import http from 'node:http';
import { connect } from 'node:net';
import { Received } from './cluster-history.mjs';

/** How long an answer may take. */
const PATIENCE = 8_000;
const agent = new http.Agent({ keepAlive: false });

/**
 * @typedef {object} Place
 * @property {string} name
 * @property {number} apiPort
 * @property {number} httpPort
 * @property {number} redisPort
 * @property {Received} received What its process has received.
 */

/**
 * @typedef {object} Answer
 * @property {number} status 0 when there was none
 * @property {string} text
 * @property {number} revision
 */

/**
 * Asks once.
 *
 * @param {number} port
 * @param {string} path
 * @param {{ method?: string, body?: unknown, headers?: Record<string, string> }} [more]
 * @returns {Promise<Answer>}
 */
export function ask(port, path, { method = 'GET', body, headers = {} } = {}) {
  return new Promise((resolve) => {
    const none = () => resolve({ status: 0, text: '', revision: 0 });
    const request = http.request({ port, host: '127.0.0.1', path, method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => (text += part));
      response.on('error', none);
      response.on('close', none);
      response.on('end', () =>
        resolve({
          ...{ status: response.statusCode ?? 0, text },
          revision: Number(response.headers['backlot-revision'] ?? 0),
        }),
      );
    });
    request.on('error', none);
    const timer = setTimeout(() => request.destroy(), PATIENCE);
    request.on('close', () => {
      clearTimeout(timer);
      none();
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Asks the management API. @param {Place} place @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers] */
export function call(place, method, path, body, headers) {
  return ask(place.apiPort, `/api${path}`, { method, body, ...(headers === undefined ? {} : { headers }) });
}

/** Sends a message to a mock. @param {Place} place @param {string} path */
async function send(place, path) {
  const { received } = place;
  received.unknown += 1;
  const answer = await ask(place.httpPort, path);
  if (answer.status !== 0) {
    received.unknown -= 1;
    received.certain += 1;
  }
  return answer;
}

/** The mocks that all clients use. */
export const MOCKS = [
  { id: 'seq', request: { path: '/seq' }, response: { body: '{{seq "step"}}' } },
  {
    ...{ id: 'state', request: { path: '/state' }, response: { body: '{{state.n}}' } },
    set_state: { n: '{{add (default state.n 0) 1}}' },
  },
  {
    ...{ id: 'make', request: { path: '/make' }, response: { body: '{{row.id}}' } },
    collection: { name: 'jobs', create: true, value: { id: '{{seq "job"}}' } },
  },
  {
    ...{ id: 'take', request: { path: '/take' }, response: { body: '{{row.id}}' } },
    collection: { name: 'jobs', take: true },
  },
  {
    ...{ id: 'turns', request: { path: '/turns' } },
    sequence: [{ body: 'a' }, { body: 'b' }, { body: 'c' }],
    sequence_exhausted: 'loop',
  },
];

/** Asks at random until it is over. */
export class Client {
  #made = 0;

  /**
   * @param {string} name
   * @param {{ history: import('./cluster-history.mjs').History, places: readonly Place[], pick: (most: number) => number, pause: number, isOver: () => boolean }} parts
   */
  constructor(name, parts) {
    this.name = name;
    this.parts = parts;
  }

  #place() {
    const { places, pick } = this.parts;
    return /** @type {Place} */ (places[pick(places.length)]);
  }

  async run() {
    const { isOver, pick, pause } = this.parts;
    const ways = [
      ...[
        () => this.#create(),
        () => this.#create(),
        () => this.#remove(),
        () => this.#count(),
        () => this.#readLogs(),
      ],
      ...[
        () => this.#step('seq', '/seq'),
        () => this.#step('state', '/state'),
        () => this.#step('made', '/make'),
      ],
      ...[() => this.#step('taken', '/take'), () => this.#turn(), () => this.#space()],
    ];
    while (!isOver()) {
      await ways[pick(ways.length)]?.();
      await new Promise((resolve) => setTimeout(resolve, pause + pick(20)));
    }
  }

  async #create() {
    const { history } = this.parts;
    const place = this.#place();
    this.#made += 1;
    const id = `${this.name}-${this.#made}`;
    const mock = { id, request: { path: `/w/${id}` }, response: { body: id } };
    history.fates.set(id, 'unknown');
    const { status, revision } = await call(place, 'POST', '/mocks/http', mock);
    history.note('create', status);
    if (status === 503) history.fates.set(id, 'gone');
    if (status !== 201) return;
    // Nobody else removes it until it was read.
    const read = await call(this.#place(), 'GET', `/mocks/http/${id}?at_least=${revision}`);
    history.note('read', read.status);
    if (![0, 200, 503, 504].includes(read.status))
      history.problems.push(`${id} was created at ${revision}, and reading it was answered ${read.status}`);
    history.fates.set(id, 'there');
  }

  async #remove() {
    const { history, pick } = this.parts;
    const there = [...history.fates].filter(([, fate]) => fate === 'there');
    const [id] = there[pick(there.length)] ?? [];
    if (id === undefined) return;
    history.fates.set(id, 'unknown');
    const { status } = await call(this.#place(), 'DELETE', `/mocks/http/${id}`);
    history.note('remove', status);
    if (status === 503) history.fates.set(id, 'there');
    if (status === 200) history.fates.set(id, 'gone');
  }

  /** Adds one to a number that all clients share, unless somebody was quicker. */
  async #count() {
    const { history } = this.parts;
    const place = this.#place();
    const read = await call(place, 'GET', '/spaces/counter/state');
    if (read.status !== 200) return;
    const next = String(Number(JSON.parse(read.text).count ?? 0) + 1);
    const guard = { 'if-match': String(read.revision) };
    const { status } = await call(place, 'POST', '/spaces/counter/state', { count: next }, guard);
    history.note('count', status);
    if (status === 200) history.counter.certain += 1;
    if (status === 504 || status === 0) history.counter.unknown += 1;
  }

  /** Whatever happens, a count that is told is that of all who live. */
  async #readLogs() {
    const { history, places } = this.parts;
    const before = places.map(({ received }) => ({ received, certain: received.certain }));
    const { status, text } = await call(this.#place(), 'GET', '/logs/count?protocol=http');
    history.note('logs', status);
    if (status !== 200) return;
    const { count } = JSON.parse(text);
    const stayed = before.filter(
      ({ received }, index) => !received.isLost && places[index]?.received === received,
    );
    const least = stayed.length === places.length ? stayed.reduce((sum, { certain }) => sum + certain, 0) : 0;
    if (count < least)
      history.problems.push(`the replicas had received ${least} at least, and ${count} were told`);
  }

  /** @param {'seq' | 'state' | 'made' | 'taken'} name @param {string} path */
  async #step(name, path) {
    const { history } = this.parts;
    const steps = history.steps[name];
    const { status, text } = await send(this.#place(), path);
    history.note(name, status);
    if (status === 200) {
      const number = Number(text);
      if (Number.isSafeInteger(number) && number > 0) steps.given.push(number);
      else history.problems.push(`${name} was answered ${JSON.stringify(text.slice(0, 100))}`);
    } else if (status !== 404) steps.unknown += 1;
  }

  async #turn() {
    const { turns } = this.parts.history;
    const { status, text } = await send(this.#place(), '/turns');
    this.parts.history.note('turns', status);
    if (status === 200 && (text === 'a' || text === 'b' || text === 'c')) turns[text] += 1;
    else turns.unknown += 1;
  }

  /** Makes a space, changes it, resets it, and mostly ends it. */
  async #space() {
    const { history, pick } = this.parts;
    const place = this.#place();
    this.#made += 1;
    const id = `${this.name}-s${this.#made}`;
    const base = `/spaces/${id}`;
    const statuses = [(await call(place, 'POST', '/spaces', { id })).status];
    statuses.push((await call(place, 'POST', `${base}/state`, { a: 'b' })).status);
    statuses.push((await call(place, 'POST', `${base}/reset`)).status);
    if (pick(5) > 0) statuses.push((await call(place, 'DELETE', base)).status);
    for (const status of statuses) history.note('space', status);
  }
}

/**
 * One client that counts in a store, by the port of any replica. There is one home at a time, so that numbers ascend, and begin anew only when the
 * home has died or was cut off.
 */
export class StoreClient {
  /** @param {{ history: import('./cluster-history.mjs').History, places: readonly Place[], pick: (most: number) => number, isOver: () => boolean }} parts */
  constructor(parts) {
    this.parts = parts;
  }

  async run() {
    const { history, places, pick, isOver } = this.parts;
    while (!isOver()) {
      const place = /** @type {Place} */ (places[pick(places.length)]);
      const at = performance.now();
      const number = await increment(place.redisPort);
      history.note('stored', number === undefined ? 0 : 200);
      history.stored.push({ at, number });
      await new Promise((resolve) => setTimeout(resolve, 100 + pick(100)));
    }
  }
}

/** @param {number} port @returns {Promise<number | undefined>} what the store has now; undefined when that is not known */
function increment(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('INCR n\r\n'));
    const timer = setTimeout(() => socket.destroy(), PATIENCE);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      text += String(data);
      const [, digits] = /^:(\d+)\r\n/.exec(text) ?? [];
      if (digits === undefined) return;
      resolve(Number(digits));
      socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

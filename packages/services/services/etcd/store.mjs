import { makeBell } from '../../waiting/index.mjs';

/** Rings when a key or a lease has changed. */
export const changed = makeBell();

const REVISION = 'etcd:revision';
const COMPACTED = 'etcd:compacted';
/** So many changes are kept for watches that begin in the past. */
const MAX_EVENTS = 10_000;

/** What a call is refused with. */
export class EtcdError extends Error {
  constructor(code, message) {
    super(`etcdserver: ${message}`);
    this.code = code;
  }
}

/** A key or value as rows have it: a text, or base64 behind a mark where the bytes are none. */
export function textOf(base64) {
  const bytes = Buffer.from(base64 ?? '', 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !text.startsWith('base64:')
    ? text
    : `base64:${bytes.toString('base64')}`;
}

export function bytesOf(text) {
  return text.startsWith('base64:') ? Buffer.from(text.slice(7), 'base64') : Buffer.from(text, 'utf8');
}

/** Which keys a request is for: one, those up to an end, all from one on, or those with a prefix. */
export function rangeOf({ key = '', range_end: end = '' }) {
  const [low, high] = [Buffer.from(key, 'base64'), Buffer.from(end, 'base64')];
  if (high.length === 0) return (bytes) => bytes.equals(low);
  const isOpen = high.length === 1 && high[0] === 0;
  return (bytes) => bytes.compare(low) >= 0 && (isOpen || bytes.compare(high) < 0);
}

/** A row as the API has it. */
export function keyValue(row, withValue = true) {
  return {
    key: bytesOf(row.key).toString('base64'),
    ...(withValue ? { value: bytesOf(row.value).toString('base64') } : {}),
    create_revision: row.create_revision,
    mod_revision: row.mod_revision,
    version: row.version,
    lease: row.lease,
  };
}

/** The data of one call. Changes of one call have one revision. */
export class Store {
  #context;
  #next;
  /** What takes back the changes of this call, the first first. */
  #undo = [];

  constructor(context) {
    this.#context = context;
    this.keys = context.collection('etcd:keys');
    this.events = context.collection('etcd:events');
    this.leases = context.collection('etcd:leases');
    this.#expire();
    // What has expired stays away, whatever becomes of the call.
    this.#undo = [];
  }

  get now() {
    return this.#context.clock.now();
  }

  get revision() {
    return Number(this.#context.state.get(REVISION) ?? '1');
  }

  get compacted() {
    return Number(this.#context.state.get(COMPACTED) ?? '0');
  }

  compact(revision) {
    if (revision <= this.compacted) throw compactedError();
    if (revision > this.revision) throw futureError();
    this.#context.state.set(COMPACTED, String(revision));
    for (const { id, mod_revision: at } of this.events.list())
      if (at < revision) this.events.remove(String(id));
  }

  get header() {
    return {
      cluster_id: '14841639068965178418',
      member_id: '10276657743932975437',
      revision: this.revision,
      raft_term: 2,
    };
  }

  get random() {
    return this.#context.random;
  }

  /** The rows of a range, by key. */
  find(request, revision = 0) {
    const includes = rangeOf(request);
    return this.#rowsAt(revision)
      .map((row) => ({ row, bytes: bytesOf(row.key) }))
      .filter(({ bytes }) => includes(bytes))
      .sort((a, b) => a.bytes.compare(b.bytes))
      .map(({ row }) => row);
  }

  get(key) {
    return this.keys.has(key) ? this.keys.get(key) : undefined;
  }

  put(key, value, lease) {
    const before = this.get(key);
    const revision = this.#change();
    const row = {
      key,
      value,
      lease,
      create_revision: before?.create_revision ?? revision,
      mod_revision: revision,
      version: (before?.version ?? 0) + 1,
    };
    if (before === undefined) this.keys.create(row);
    else this.keys.replace(key, row);
    this.#undo.push(() => (before === undefined ? this.keys.remove(key) : this.keys.replace(key, before)));
    this.#log('PUT', row, before);
    return before;
  }

  remove(row) {
    const revision = this.#change();
    this.keys.remove(row.key);
    this.#undo.push(() => this.keys.create(row));
    const gone = {
      key: row.key,
      value: '',
      lease: '0',
      create_revision: 0,
      mod_revision: revision,
      version: 0,
    };
    this.#log('DELETE', gone, row);
  }

  /** Takes a lease away with its keys. */
  revoke(lease) {
    this.leases.remove(lease.id);
    for (const row of this.keys.list()) if (row.lease === lease.id) this.remove(row);
    this.#next = undefined;
    changed.ring();
  }

  /** Milliseconds until the next lease ends; `undefined` without leases. */
  get nextExpiry() {
    const ends = this.leases.list().map(({ expires_at: end }) => end);
    return ends.length === 0 ? undefined : Math.max(Math.min(...ends) - this.now, 0);
  }

  #expire() {
    for (const lease of this.leases.list()) if (lease.expires_at <= this.now) this.revoke(lease);
  }

  /** Takes back all that this call has changed, which nobody has seen: watches look later. */
  rollBack() {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    this.#next = undefined;
  }

  #change() {
    if (this.#next === undefined) {
      const before = this.#context.state.get(REVISION);
      this.#undo.push(() =>
        before === undefined
          ? this.#context.state.delete(REVISION)
          : this.#context.state.set(REVISION, before),
      );
      this.#next = this.revision + 1;
      this.#context.state.set(REVISION, String(this.#next));
    }
    return this.#next;
  }

  #log(type, row, before) {
    const { id } = this.events.create({ type, ...row, before: before ?? null });
    this.#undo.push(() => this.events.remove(String(id)));
    if (this.events.size > MAX_EVENTS) this.#forget();
    changed.ring();
  }

  /** Drops the oldest change that watches could begin with. */
  #forget() {
    for (const event of this.events.values()) {
      this.events.remove(String(event.id));
      return;
    }
  }

  /** The rows as they were at a revision: what has changed since is taken back. */
  #rowsAt(revision) {
    if (revision === 0 || revision === this.revision) return this.keys.list();
    if (revision > this.revision) throw futureError();
    if (revision < this.compacted) throw compactedError();
    const rows = new Map(this.keys.list().map((row) => [row.key, row]));
    for (const event of [...this.events.list()].reverse()) {
      if (event.mod_revision <= revision) break;
      if (event.before === null) rows.delete(event.key);
      else rows.set(event.key, event.before);
    }
    return [...rows.values()];
  }
}

export function compactedError() {
  return new EtcdError('OUT_OF_RANGE', 'mvcc: required revision has been compacted');
}

function futureError() {
  return new EtcdError('OUT_OF_RANGE', 'mvcc: required revision is a future revision');
}

/** A call with one answer: what it throws is the error of the call. */
export function operation(run) {
  return ({ body }, context) => {
    try {
      const store = new Store(context);
      const answer = run(body, store);
      return { response: { ...answer, header: store.header } };
    } catch (thrown) {
      if (!(thrown instanceof EtcdError)) throw thrown;
      return { error: { code: thrown.code, message: thrown.message } };
    }
  };
}

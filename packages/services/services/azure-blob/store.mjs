import { createHash } from 'node:crypto';
import { noBlob, noContainer } from './errors.mjs';

/** The collections of the service, with what each call needs of them. */
export class Store {
  #context;

  constructor(context) {
    this.#context = context;
    const of = (name) => context.collection(`azure-blob:${name}`);
    this.containers = of('containers');
    /** By `container/name`. */
    this.blobs = of('blobs');
    /** By `container/name?time`. */
    this.snapshots = of('snapshots');
    /** Blocks that no list has named yet, by `container/name?id`. */
    this.blocks = of('blocks');
  }

  get now() {
    return this.#context.clock.now();
  }

  get vars() {
    return this.#context.vars['azure-blob'];
  }

  uuid() {
    return this.#context.random.uuid();
  }

  /** What each change gives anew: the tag and the time, in whole seconds as headers have it. */
  stamp() {
    const modified = new Date(Math.floor(this.now / 1000) * 1000).toISOString();
    return { etag: `0x8D${this.uuid().replaceAll('-', '').slice(0, 13).toUpperCase()}`, modified };
  }

  container(name) {
    if (!this.containers.has(name)) throw noContainer();
    return this.containers.get(name);
  }

  find(container, name, snapshot) {
    this.container(container);
    const id = `${container}/${name}`;
    const [rows, key] = snapshot === undefined ? [this.blobs, id] : [this.snapshots, `${id}?${snapshot}`];
    return rows.has(key) ? viewOf(rows.get(key), id) : undefined;
  }

  blob(container, name, snapshot) {
    const found = this.find(container, name, snapshot);
    if (found === undefined) throw noBlob();
    return found;
  }

  /** Writes a blob, in place of the one that was there. */
  put(container, name, fields) {
    const id = `${container}/${name}`;
    const before = this.blobs.has(id) ? this.blobs.get(id) : undefined;
    const stamp = this.stamp();
    const row = {
      id,
      ...fields,
      ...stamp,
      created: before?.created ?? stamp.modified,
      ...(before?.lease && { lease: before.lease }),
    };
    if (before === undefined) this.blobs.create(row);
    else this.blobs.replace(id, row);
    for (const one of this.blocksOf(id)) this.blocks.remove(one.id);
    return viewOf(row);
  }

  /** Changes a blob. @param keeps - whether its tag and time stay as they are */
  change(blob, fields, keeps = false) {
    const rows = blob.snapshot === undefined ? this.blobs : this.snapshots;
    const key = blob.snapshot === undefined ? blob.id : `${blob.id}?${blob.snapshot}`;
    const { id: _id, ...row } = rows.get(key);
    return viewOf(rows.replace(key, { ...row, ...(keeps ? {} : this.stamp()), ...fields, id: key }), blob.id);
  }

  changeContainer(name, fields, keeps = false) {
    const row = this.containers.get(name);
    return this.containers.replace(name, { ...row, ...(keeps ? {} : this.stamp()), ...fields });
  }

  remove(id) {
    if (this.blobs.has(id)) this.blobs.remove(id);
    for (const one of this.blocksOf(id)) this.blocks.remove(one.id);
  }

  blocksOf(id) {
    return beginning(this.blocks, `${id}?`);
  }

  snapshotsOf(id) {
    return beginning(this.snapshots, `${id}?`).map((row) => viewOf(row, id));
  }
}

function beginning(rows, text) {
  const found = [];
  for (const row of rows.values()) if (row.id.startsWith(text)) found.push(row);
  return found;
}

export const md5Of = (bytes) => createHash('md5').update(bytes).digest('base64');

/** A blob with all that it has; rows of a configuration may leave out most of it. */
export function viewOf(row, id = row.id) {
  const slash = id.indexOf('/');
  const content = contentOf(row);
  return {
    kind: 'BlockBlob',
    type: row.json === undefined ? 'application/octet-stream' : 'application/json',
    metadata: {},
    headers: {},
    tags: {},
    tier: 'Hot',
    committed: [],
    modified: '1970-01-01T00:00:00.000Z',
    created: '1970-01-01T00:00:00.000Z',
    get etag() {
      return `0x8D${createHash('md5').update(content).digest('hex').slice(0, 13).toUpperCase()}`;
    },
    ...row,
    id,
    container: id.slice(0, slash),
    name: id.slice(slash + 1),
    content,
    size: content.length,
  };
}

/** The bytes of a blob: as they were put, or as a row of a configuration says them. */
function contentOf({ content, text, json, base64 }) {
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.length);
  if (typeof text === 'string') return Buffer.from(text);
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return Buffer.from(content ?? base64 ?? '', 'base64');
}

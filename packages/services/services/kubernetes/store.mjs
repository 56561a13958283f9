import { isDeepStrictEqual } from 'node:util';
import { makeBell } from '../../waiting/index.mjs';
import { apiVersionOf, DEFINITIONS, NAMESPACES, resourcesOf } from './resources.mjs';
import { alreadyExists, expired, nameOf, notFound } from './status.mjs';

/** Rings when an object or a log has changed. */
export const changed = makeBell();

const REVISION = 'kubernetes:revision';
const COMPACTED = 'kubernetes:compacted';
/** So many changes are kept for watches that begin in the past. */
const MAX_CHANGES = 2_000;

const idOf = (resource, namespace, name) =>
  resource.isNamespaced ? `${nameOf(resource)}/${namespace}/${name}` : `${nameOf(resource)}/${name}`;

/** The data of one call. */
export class Store {
  #context;
  #resources;

  constructor(context) {
    this.#context = context;
    this.objects = context.collection('kubernetes:objects');
    this.changes = context.collection('kubernetes:changes');
    this.#adopt();
  }

  get context() {
    return this.#context;
  }

  get time() {
    return new Date(this.#context.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  get random() {
    return this.#context.random;
  }

  get revision() {
    return Number(this.#context.state.get(REVISION) ?? '1');
  }

  get compacted() {
    return Number(this.#context.state.get(COMPACTED) ?? '0');
  }

  get resources() {
    return (this.#resources ??= resourcesOf(this.#all(DEFINITIONS).map(({ object }) => object)));
  }

  /** The resource of an object, in its version. */
  resourceOf({ apiVersion, kind }) {
    return this.resources.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  }

  has(resource, namespace, name) {
    return this.objects.has(idOf(resource, namespace, name));
  }

  get(resource, namespace, name) {
    const id = idOf(resource, namespace, name);
    if (!this.objects.has(id)) throw notFound(resource, name);
    return this.show(resource, this.objects.get(id).object);
  }

  /** An object in the version that was asked for. */
  show(resource, object) {
    const apiVersion = apiVersionOf(resource);
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
    return { apiVersion, kind: resource.kind, ...rest };
  }

  /** The objects of a resource, of one namespace or of all, as they were at a revision. */
  list(resource, namespace, revision = this.revision) {
    const rows = new Map(this.#all(resource).map(({ id, object }) => [id, object]));
    const prefix = `${nameOf(resource)}/`;
    if (revision < this.compacted)
      throw expired('The provided continue parameter is too old to display a consistent list result.');
    for (const change of revision === this.revision ? [] : [...this.changes.list()].reverse()) {
      if (change.revision <= revision) break;
      if (!change.key.startsWith(prefix)) continue;
      if (change.before === null) rows.delete(change.key);
      else rows.set(change.key, change.before);
    }
    return [...rows]
      .filter(([, { metadata }]) => namespace === undefined || metadata.namespace === namespace)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => this.show(resource, object));
  }

  /** What has changed of a resource since a revision. */
  changesOf(resource, namespace, after) {
    const prefix = `${nameOf(resource)}/${resource.isNamespaced && namespace !== undefined ? `${namespace}/` : ''}`;
    return this.changes.list().filter(({ revision, key }) => revision > after && key.startsWith(prefix));
  }

  create(resource, object) {
    const { namespace, name } = object.metadata;
    const id = idOf(resource, namespace, name);
    if (this.objects.has(id)) throw alreadyExists(resource, name);
    const whole = this.#stamp(object);
    this.objects.create({ id, object: whole });
    this.#log('ADDED', id, whole, null);
    return whole;
  }

  /** Puts an object in place of itself; nothing happens where nothing is different. */
  replace(resource, object) {
    const { namespace, name } = object.metadata;
    const id = idOf(resource, namespace, name);
    const before = this.objects.get(id).object;
    if (isDeepStrictEqual(before, object)) return before;
    const whole = this.#stamp(object);
    this.objects.replace(id, { id, object: whole });
    this.#log('MODIFIED', id, whole, before);
    return whole;
  }

  remove(resource, { metadata }) {
    const id = idOf(resource, metadata.namespace, metadata.name);
    const before = this.objects.get(id).object;
    this.objects.remove(id);
    const gone = this.#stamp(before);
    this.#log('DELETED', id, gone, before);
    return gone;
  }

  /** All objects of one namespace, with their resources. */
  contentsOf(namespace) {
    return this.everything.filter(({ object }) => object.metadata.namespace === namespace);
  }

  /** All objects with their resources. */
  get everything() {
    const byName = new Map(this.resources.map((resource) => [nameOf(resource), resource]));
    return this.objects
      .list()
      .map(({ id, object }) => ({ resource: byName.get(id.slice(0, id.indexOf('/'))), object }))
      .filter(({ resource }) => resource !== undefined);
  }

  namespaceOf(name) {
    const id = idOf(NAMESPACES, undefined, name);
    return this.objects.has(id) ? this.objects.get(id).object : undefined;
  }

  #all(resource) {
    const prefix = `${nameOf(resource)}/`;
    return this.objects.list().filter(({ id }) => id.startsWith(prefix));
  }

  #stamp(object) {
    const revision = this.revision + 1;
    this.#context.state.set(REVISION, String(revision));
    this.#resources = undefined;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
  }

  #log(type, key, object, before) {
    this.changes.create({ revision: this.revision, type, key, object, before });
    while (this.changes.size > MAX_CHANGES) {
      const [{ id, revision }] = this.changes.list();
      this.changes.remove(String(id));
      this.#context.state.set(COMPACTED, String(revision));
    }
    changed.ring();
  }

  /** Rows that a configuration or a test has made lack what the server gives. */
  #adopt() {
    for (const row of this.objects.list()) {
      const { id, object } = row;
      if (object?.metadata?.resourceVersion !== undefined) continue;
      const [, ...names] = id.split('/');
      const metadata = {
        name: names.at(-1),
        ...(names.length > 1 ? { namespace: names[0] } : {}),
        uid: this.#context.random.uuid(),
        creationTimestamp: this.time,
        ...object?.metadata,
      };
      const whole = this.#stamp({ ...object, metadata });
      this.objects.replace(id, { id, object: whole });
      this.#log('ADDED', id, whole, null);
    }
  }
}

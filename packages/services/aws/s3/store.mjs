import { createHash } from 'node:crypto';
import { S3Error, noSuchKey } from './errors.mjs';

/** The collections of S3 in a service, with what each call needs of them. */
export class Store {
  #context;
  #name;

  constructor(name, context) {
    this.#name = name;
    this.#context = context;
  }

  get buckets() {
    return this.#of('buckets');
  }

  /** What a key stands for now, by `bucket/key`. */
  get objects() {
    return this.#of('objects');
  }

  /** Earlier versions, and marks of deletion, the oldest first. */
  get versions() {
    return this.#of('versions');
  }

  get uploads() {
    return this.#of('uploads');
  }

  get parts() {
    return this.#of('parts');
  }

  /** What the service was given for its functions. */
  get vars() {
    return this.#context.vars[this.#name.split(':')[0]] ?? {};
  }

  get now() {
    return this.#context.clock.now();
  }

  get modified() {
    // S3 keeps whole seconds, so that what a header says is what is stored.
    return new Date(Math.floor(this.now / 1000) * 1000).toISOString();
  }

  token(length) {
    return this.#context.random.string(length);
  }

  /** The bucket with this name. @throws what S3 answers when there is none */
  bucket(name) {
    if (this.buckets.has(name)) return this.buckets.get(name);
    throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist', { BucketName: name });
  }

  /**
   * The object with this key, or an earlier version of it.
   *
   * @throws what S3 answers when there is none, or when it was deleted
   */
  object(bucket, key, version) {
    this.bucket(bucket);
    const id = `${bucket}/${key}`;
    const current = this.objects.has(id) ? this.objects.get(id) : undefined;
    if (version === undefined) {
      if (current !== undefined) return viewOf(current);
      const marker = this.versionsOf(bucket, key).at(-1);
      throw marker?.marker === true
        ? new S3Error(
            404,
            'NoSuchKey',
            'The specified key does not exist.',
            { Key: key },
            markerHeaders(marker),
          )
        : noSuchKey(key);
    }
    if (current !== undefined && (current.version ?? 'null') === version) return viewOf(current);
    const found = this.versionsOf(bucket, key).find((one) => one.version === version);
    if (found === undefined)
      throw new S3Error(404, 'NoSuchVersion', 'The specified version does not exist.', {
        Key: key,
        VersionId: version,
      });
    if (found.marker === true)
      throw new S3Error(
        405,
        'MethodNotAllowed',
        'The specified method is not allowed against this resource.',
        { Method: 'GET', ResourceType: 'DeleteMarker' },
        { ...markerHeaders(found), Allow: 'DELETE' },
      );
    return viewOf(found);
  }

  /** Earlier versions of one object, the oldest first. */
  versionsOf(bucket, key) {
    const found = [];
    for (const row of this.versions.values()) if (row.bucket === bucket && row.key === key) found.push(row);
    return found;
  }

  /** Writes an object, and keeps what was there when its bucket has versions. */
  put(bucket, key, fields) {
    const id = `${bucket}/${key}`;
    const { versioning } = this.bucket(bucket);
    const version = versioning === 'Enabled' ? this.token(32) : 'null';
    if (versioning !== undefined) this.#setAside(bucket, key, version);
    const row = { ...fields, id, bucket, key, version, modified: this.modified };
    const made = this.objects.has(id) ? this.objects.replace(id, row) : this.objects.create(row);
    return { ...made, versionId: versioning === undefined ? undefined : version };
  }

  /** Changes an object, or a version of it, that is there. */
  change({ id, version }, fields) {
    const rows =
      this.objects.has(id) && (this.objects.get(id).version ?? 'null') === version
        ? this.objects
        : this.versions;
    rows.replace(rows === this.objects ? id : versionKey(id, version), {
      ...rows.get(rows === this.objects ? id : versionKey(id, version)),
      ...fields,
    });
  }

  /**
   * Removes an object, one version of it, or marks it as deleted when its bucket has versions.
   *
   * @returns which version was removed, and whether that is or was a mark
   */
  remove(bucket, key, version) {
    const { versioning } = this.bucket(bucket);
    const id = `${bucket}/${key}`;
    if (version !== undefined) return this.#removeVersion(bucket, key, version);
    if (versioning === undefined) {
      if (this.objects.has(id)) this.objects.remove(id);
      return {};
    }
    const own = versioning === 'Enabled' ? this.token(32) : 'null';
    this.#setAside(bucket, key, own);
    if (this.objects.has(id)) this.objects.remove(id);
    const marker = { bucket, key, version: own, modified: this.modified, marker: true };
    this.versions.create({ ...marker, id: versionKey(id, own) });
    return { version: own, marker: true };
  }

  /** Moves what a key stands for to its earlier versions; one that another takes the place of is gone. */
  #setAside(bucket, key, next) {
    const id = `${bucket}/${key}`;
    if (this.objects.has(id)) {
      const current = viewOf(this.objects.get(id));
      if (current.version !== next) this.versions.create({ ...current, id: versionKey(id, current.version) });
    }
    const replaced = versionKey(id, next);
    if (this.versions.has(replaced)) this.versions.remove(replaced);
  }

  #removeVersion(bucket, key, version) {
    const id = `${bucket}/${key}`;
    if (this.objects.has(id) && (this.objects.get(id).version ?? 'null') === version) {
      this.objects.remove(id);
      this.#promote(bucket, key);
      return { version };
    }
    const old = versionKey(id, version);
    if (!this.versions.has(old)) return { version };
    const { marker } = this.versions.get(old);
    this.versions.remove(old);
    if (marker === true && !this.objects.has(id)) this.#promote(bucket, key);
    return { version, marker };
  }

  /** The newest of the earlier versions is what the key stands for, unless it is a mark. */
  #promote(bucket, key) {
    const newest = this.versionsOf(bucket, key).at(-1);
    if (newest === undefined || newest.marker === true) return;
    this.versions.remove(newest.id);
    this.objects.create({ ...newest, id: `${bucket}/${key}` });
  }

  #of(name) {
    return this.#context.collection(`${this.#name}${name}`);
  }
}

function versionKey(id, version) {
  return `${id}?${version}`;
}

function markerHeaders({ version }) {
  return { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version };
}

/** An object with all that it has; rows of a configuration may leave out most of it. */
export function viewOf(row) {
  const slash = row.id.indexOf('/');
  const content = contentOf(row);
  return {
    bucket: row.id.slice(0, slash),
    key: row.id.slice(slash + 1),
    version: 'null',
    type: row.json === undefined ? 'binary/octet-stream' : 'application/json',
    metadata: {},
    headers: {},
    tags: {},
    storage_class: 'STANDARD',
    modified: '1970-01-01T00:00:00.000Z',
    ...row,
    size: content.length,
    content,
    get etag() {
      return row.etag ?? createHash('md5').update(content).digest('hex');
    },
  };
}

/** The bytes of an object: as they were put, or as a row of a configuration says them. */
function contentOf({ content, text, json, base64 }) {
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.length);
  if (typeof text === 'string') return Buffer.from(text);
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return Buffer.from(content ?? base64 ?? '', 'base64');
}

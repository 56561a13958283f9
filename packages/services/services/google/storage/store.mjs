import { digest } from '../../../aws/s3/checksums.mjs';
import { invalid, noBucket, noObject } from './errors.mjs';

const GENERATION = 'google:generation';
const START = '1970-01-01T00:00:00.000Z';

/** What a caller may say of an object. */
const DESCRIBING = [
  'contentType',
  'contentEncoding',
  'contentDisposition',
  'contentLanguage',
  'cacheControl',
  'customTime',
  'metadata',
  'storageClass',
];

const CONTROL = /[\u0000-\u001f\u007f]/;
const isGiven = (value) => value !== undefined && value !== null;

function check(name, value) {
  if (typeof value !== 'string' || CONTROL.test(value))
    throw invalid(`Invalid value for ${name}: a text without control characters would be right.`);
}

/** Checks what a body says of an object. */
function checkDescription(body) {
  for (const name of DESCRIBING) {
    const value = body[name];
    if (!isGiven(value)) continue;
    if (name !== 'metadata') check(name, value);
    else if (typeof value !== 'object' || Array.isArray(value))
      throw invalid('Invalid value for metadata: an object of texts would be right.');
    else for (const [key, text] of Object.entries(value)) if (text !== null) check(`metadata.${key}`, text);
  }
}

/** What a body says of an object, without what stands for itself. */
export function described(body) {
  checkDescription(body);
  return Object.fromEntries(
    DESCRIBING.filter((name) => isGiven(body[name])).map((name) => [
      name,
      name === 'metadata' ? merged({}, body.metadata) : body[name],
    ]),
  );
}

/** What a body changes of an object; `null` takes a field away. */
export function patched(before, body) {
  checkDescription(body);
  const made = described(before);
  for (const name of DESCRIBING) {
    if (!Object.hasOwn(body, name)) continue;
    if (body[name] === null) delete made[name];
    else if (name === 'metadata') made.metadata = merged(before.metadata, body.metadata);
    else made[name] = body[name];
  }
  return made;
}

const merged = (before = {}, fields) =>
  Object.fromEntries(Object.entries({ ...before, ...fields }).filter(([, value]) => value !== null));

/** The data of one call. */
export class Store {
  #context;

  constructor(context) {
    this.#context = context;
    const of = (name) => context.collection(`google:${name}`);
    this.buckets = of('buckets');
    /** By `bucket/name`. */
    this.objects = of('objects');
    this.uploads = of('uploads');
  }

  get time() {
    return new Date(this.#context.clock.now()).toISOString();
  }

  uuid() {
    return this.#context.random.uuid();
  }

  bucket(name) {
    if (!this.buckets.has(name)) throw noBucket();
    return this.buckets.get(name);
  }

  find(bucket, name) {
    this.bucket(bucket);
    const id = `${bucket}/${name}`;
    return this.objects.has(id) ? viewOf(this.objects.get(id)) : undefined;
  }

  /** @param generation - the one that is asked for; only the last is there */
  object(bucket, name, generation) {
    const found = this.find(bucket, name);
    if (found === undefined || (generation !== undefined && generation !== found.generation))
      throw noObject(bucket, name);
    return found;
  }

  /** The digests of bytes that come, compared with what the caller says of them. */
  async digests(bytes, { md5Hash, crc32c } = {}) {
    const found = await digestsOf(bytes);
    for (const [name, said, is] of [
      ['MD5 hash', md5Hash, found.md5Hash],
      ['CRC32C', crc32c, found.crc32c],
    ])
      if (isGiven(said) && said !== is)
        throw invalid(`Provided ${name} "${said}" doesn't match calculated ${name} "${is}".`);
    return found;
  }

  /** Writes an object in place of the one that was there. @param fields - what is said of it, with its digests */
  put(bucket, name, content, fields) {
    const id = `${bucket}/${name}`;
    const { time } = this;
    const row = {
      id,
      contentType: 'application/octet-stream',
      storageClass: this.bucket(bucket).storageClass ?? 'STANDARD',
      ...fields,
      content,
      generation: this.#nextGeneration(),
      metageneration: '1',
      timeCreated: time,
      updated: time,
    };
    if (this.objects.has(id)) this.objects.replace(id, row);
    else this.objects.create(row);
    return viewOf(row);
  }

  /** Changes what is said of an object. */
  change(object, fields) {
    const row = { ...this.objects.get(object.id) };
    for (const name of DESCRIBING) delete row[name];
    return viewOf(
      this.objects.replace(object.id, {
        ...row,
        ...fields,
        generation: object.generation,
        metageneration: String(Number(object.metageneration) + 1),
        updated: this.time,
      }),
    );
  }

  #nextGeneration() {
    const { state, clock } = this.#context;
    const next = Math.max(clock.now() * 1000, Number(state.get(GENERATION) ?? 0) + 1);
    state.set(GENERATION, String(next));
    return String(next);
  }
}

const digestsOf = async (bytes) => ({
  md5Hash: (await digest('MD5', bytes)).toString('base64'),
  crc32c: (await digest('CRC32C', bytes)).toString('base64'),
});

/** An object with its bytes; rows of a configuration may leave out most of it. */
export function viewOf(row) {
  const slash = row.id.indexOf('/');
  const content = contentOf(row);
  return {
    contentType: row.json === undefined ? 'application/octet-stream' : 'application/json',
    storageClass: 'STANDARD',
    generation: '1',
    metageneration: '1',
    timeCreated: START,
    updated: START,
    ...row,
    bucket: row.id.slice(0, slash),
    name: row.id.slice(slash + 1),
    content,
    size: content.length,
  };
}

/** An object with its digests, which those of a configuration have not yet. */
export async function withDigests(object) {
  return object.crc32c === undefined ? { ...object, ...(await digestsOf(object.content)) } : object;
}

function contentOf({ content, text, json, base64 }) {
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.length);
  if (typeof text === 'string') return Buffer.from(text);
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return Buffer.from(content ?? base64 ?? '', 'base64');
}

export const etagOf = ({ generation, metageneration }) =>
  Buffer.from(`${generation}/${metageneration}`).toString('base64');

/** An object as the API shows it. */
export async function resourceOf(object, base) {
  const { bucket, name, generation, metageneration, size, timeCreated, updated, ...found } =
    await withDigests(object);
  const place = `${base}/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}`;
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    selfLink: place,
    mediaLink: `${base}/download/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}?generation=${generation}&alt=media`,
    name,
    bucket,
    generation,
    metageneration,
    ...described(found),
    size: String(size),
    ...(found.md5Hash !== undefined && { md5Hash: found.md5Hash }),
    crc32c: found.crc32c,
    ...(found.componentCount !== undefined && { componentCount: found.componentCount }),
    etag: etagOf(object),
    timeCreated,
    updated,
    timeStorageClassUpdated: timeCreated,
  };
}

import { checkConditions } from './conditions.mjs';
import { invalid, required, StorageError } from './errors.mjs';
import { described, resourceOf } from './store.mjs';

const CRLF = Buffer.from('\r\n');
const BLANK = Buffer.from('\r\n\r\n');
const DAY = 86_400_000;

export async function upload(call) {
  switch (call.query.uploadType) {
    case 'media':
      return uploadMedia(call);
    case 'multipart':
      return uploadMultipart(call);
    case 'resumable':
      return startUpload(call);
    default:
      throw invalid(
        `Invalid value for uploadType: ${call.query.uploadType ?? ''}. media, multipart or resumable would be right.`,
      );
  }
}

/** What headers say of the digests of a body. */
function hashesOf({ headers }) {
  const said = {};
  for (const part of String(headers['x-goog-hash'] ?? '').split(',')) {
    const [, name, value] = /^\s*(crc32c|md5)=(.+)$/.exec(part) ?? [];
    if (name !== undefined) said[name === 'md5' ? 'md5Hash' : 'crc32c'] = value.trim();
  }
  return said;
}

/** Writes what was uploaded, once its digests are found right. */
async function finish({ bucket, query, store, base }, name, content, body) {
  const digests = await store.digests(content, body);
  checkConditions(query, store.find(bucket, name));
  const made = store.put(bucket, name, content, { ...described(body), ...digests });
  return { made, answer: { json: await resourceOf(made, base) } };
}

function nameOf({ query }, body = {}) {
  const name = query.name ?? body.name;
  if (typeof name !== 'string' || name === '') throw required('name');
  if (Buffer.byteLength(name) > 1024 || /[\r\n]/.test(name))
    throw invalid('The name of an object has 1 to 1024 bytes without line breaks.');
  return name;
}

async function uploadMedia(call) {
  const { request, query, bytes } = call;
  const { 'content-type': contentType } = request.headers;
  const { contentEncoding } = query;
  const body = {
    ...(contentType && { contentType }),
    ...(contentEncoding && { contentEncoding }),
    ...hashesOf(request),
  };
  return (await finish(call, nameOf(call), bytes, body)).answer;
}

async function uploadMultipart(call) {
  const { request, bytes } = call;
  const { body, contentType, content } = partsOf(request.headers['content-type'] ?? '', bytes);
  const said = { ...(contentType && { contentType }), ...hashesOf(request), ...body };
  return (await finish(call, nameOf(call, body), content, said)).answer;
}

/** The two parts of a body: what is said of the object, and its bytes. */
function partsOf(type, bytes) {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || !/^multipart\//i.test(type))
    throw invalid(`The content type is ${type}: multipart/related with a boundary would be right.`);
  const mark = Buffer.from(`--${boundary}`);
  const parts = [];
  let at = bytes.indexOf(mark);
  while (at !== -1 && parts.length < 2) {
    const start = at + mark.length;
    const end = bytes.indexOf(Buffer.concat([CRLF, mark]), start);
    const blank = bytes.indexOf(BLANK, start);
    if (end === -1 || blank === -1 || blank > end) break;
    const [, contentType] = /^content-type:[ \t]*(.*)$/im.exec(bytes.toString('latin1', start, blank)) ?? [];
    // A part without a body has its blank line before the boundary at once.
    parts.push({ contentType: contentType?.trim(), content: bytes.subarray(Math.min(blank + 4, end), end) });
    at = end + CRLF.length;
  }
  if (parts.length < 2)
    throw invalid('A multipart upload has two parts: what is said of the object in JSON, and its bytes.');
  return { body: parseBody(parts[0].content), contentType: parts[1].contentType, content: parts[1].content };
}

/** A body of JSON. */
export function parseBody(bytes) {
  if (bytes.length === 0) return {};
  try {
    const found = JSON.parse(bytes.toString());
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found;
  } catch {
    // Answered below.
  }
  throw new StorageError(400, 'parseError', 'Parse Error: the body must be an object of JSON.');
}

function startUpload(call) {
  const { request, bucket, query, body, store, base } = call;
  const name = nameOf(call, body);
  checkConditions(query, store.find(bucket, name));
  const { 'x-upload-content-type': contentType, 'x-upload-content-length': length } = request.headers;
  const now = Date.parse(store.time);
  for (const { id, started } of store.uploads.list()) if (started < now - 7 * DAY) store.uploads.remove(id);
  const id = store.uuid();
  store.uploads.create({
    id,
    bucket,
    name,
    query,
    body: { ...(contentType && { contentType }), ...hashesOf(request), ...body },
    ...(length !== undefined && { length: Number(length) }),
    started: now,
    content: Buffer.alloc(0),
  });
  const place = `${base}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&name=${encodeURIComponent(name)}&upload_id=${id}`;
  return { headers: { Location: place, 'X-GUploader-UploadID': id }, body: '' };
}

const uploadOf = ({ query, store }) => {
  const id = query.upload_id;
  if (!store.uploads.has(id)) throw new StorageError(404, 'notFound', `No such upload: ${id}`);
  return store.uploads.get(id);
};

export function cancelUpload(call) {
  call.store.uploads.remove(uploadOf(call).id);
  return { status: 499 };
}

const contentOf = ({ content }) => Buffer.from(content.buffer, content.byteOffset, content.length);

/** Takes bytes of an upload, or says how many there are. */
export async function continueUpload(call) {
  const { request, bytes, store, base } = call;
  const found = uploadOf(call);
  if (found.done !== undefined)
    return { json: await resourceOf(store.object(found.bucket, found.name, found.done), base) };
  const held = contentOf(found);
  const range = chunkOf(request.headers['content-range'], bytes, found);
  if (range.first > held.length)
    throw invalid(`The bytes from ${range.first} on were sent, but ${held.length} are there.`);
  const content = range.isAsked
    ? held
    : Buffer.concat([held, bytes.subarray(Math.min(held.length - range.first, bytes.length))]);
  if (range.total !== undefined && content.length > range.total)
    throw invalid(`There are ${content.length} bytes of an upload of ${range.total}.`);
  const isDone = range.isLast || content.length === range.total;
  if (!isDone) {
    if (content !== held) store.uploads.replace(found.id, { ...found, content });
    const seen = content.length > 0 ? { Range: `bytes=0-${content.length - 1}` } : {};
    return { status: 308, headers: { 'X-GUploader-UploadID': found.id, ...seen }, body: '' };
  }
  const { bucket, name, query } = found;
  const { made, answer } = await finish({ bucket, query, store, base }, name, content, found.body);
  store.uploads.replace(found.id, { ...found, done: made.generation, content: Buffer.alloc(0) });
  return answer;
}

/** Which bytes of an upload a request has, by its header. */
function chunkOf(header, bytes, { length }) {
  if (header === undefined) return { first: 0, isLast: true };
  const [, asked, first, last, total] = /^bytes (?:(\*)|(\d+)-(\d+|\*))\/(\d+|\*)$/.exec(header.trim()) ?? [];
  if (total === undefined)
    throw invalid(
      `The Content-Range is "${header}": bytes FIRST-LAST/TOTAL or bytes */TOTAL would be right.`,
    );
  const size = total === '*' ? length : Number(total);
  if (asked !== undefined) return { isAsked: true, first: 0, total: total === '*' ? undefined : size };
  if (last !== '*' && Number(last) - Number(first) + 1 !== bytes.length)
    throw invalid(`The Content-Range is "${header}", but ${bytes.length} bytes were sent.`);
  return { first: Number(first), total: size, isLast: last === '*' && total === '*' };
}

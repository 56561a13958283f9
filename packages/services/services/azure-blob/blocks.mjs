import { xmlDocument } from '../../aws/xml.mjs';
import { checkMd5, described, existing, forWrite, stampHeaders } from './blobs.mjs';
import { BlobError, invalidHeader, invalidQuery, invalidXml } from './errors.mjs';
import { checkLease } from './leases.mjs';
import { sourceBytes } from './copy.mjs';
import { md5Of } from './store.mjs';

const MOST = 50_000;

function blockId({ query }) {
  const { blockid: id } = query;
  const isBase64 =
    typeof id === 'string' &&
    id !== '' &&
    /^[\w+/-]+={0,2}$/.test(id) &&
    Buffer.from(id, 'base64').length <= 64;
  if (!isBase64) throw invalidQuery('blockid', id);
  return id;
}

export function putBlock(call) {
  const { request, store, container, blob } = call;
  store.container(container);
  const id = blockId(call);
  const bytes = request.headers['x-ms-copy-source'] === undefined ? call.bytes : sourceBytes(call);
  checkMd5(request, bytes);
  const found = store.find(container, blob);
  checkLease(request.headers, found, store.now);
  const key = `${container}/${blob}?${id}`;
  const others = store.blocksOf(`${container}/${blob}`);
  if (others.some((one) => one.id.length !== key.length))
    throw new BlobError(
      400,
      'InvalidBlobOrBlock',
      'The specified block ID is invalid. All block IDs of a blob must have the same length.',
    );
  const row = { id: key, block: id, content: bytes };
  if (store.blocks.has(key)) store.blocks.replace(key, row);
  else store.blocks.create(row);
  return { status: 201, headers: { 'Content-MD5': md5Of(bytes), 'x-ms-request-server-encrypted': 'true' } };
}

/** The blocks that a list names, in its order. */
function* listed(text) {
  if (!/<BlockList[\s>/]/.test(text)) throw invalidXml();
  for (const [, where, id] of text.matchAll(/<(Latest|Committed|Uncommitted)>([^<]*)<\/\1>/g))
    yield { where, id: id.trim() };
}

export function putBlockList(call) {
  const { request, store, container, blob } = call;
  store.container(container);
  const before = forWrite(call);
  const waiting = new Map(
    store.blocksOf(`${container}/${blob}`).map((row) => [row.block, Buffer.from(row.content)]),
  );
  const there = new Map();
  let at = 0;
  for (const { id, size } of before?.committed ?? []) {
    there.set(id, before.content.subarray(at, at + size));
    at += size;
  }
  const pieces = [];
  const committed = [];
  for (const { where, id } of listed(String(request.raw_body ?? ''))) {
    const bytes =
      where === 'Committed'
        ? there.get(id)
        : (waiting.get(id) ?? (where === 'Latest' ? there.get(id) : undefined));
    if (bytes === undefined || committed.length === MOST)
      throw new BlobError(400, 'InvalidBlockList', 'The specified block list is invalid.');
    pieces.push(bytes);
    committed.push({ id, size: bytes.length });
  }
  const md5 = request.headers['x-ms-blob-content-md5'];
  const { 'content-type': _type, ...headers } = request.headers;
  const made = store.put(container, blob, {
    ...described({ headers }),
    kind: 'BlockBlob',
    content: Buffer.concat(pieces),
    committed,
    ...(md5 !== undefined && { md5 }),
  });
  return { status: 201, headers: { ...stampHeaders(made), 'x-ms-request-server-encrypted': 'true' } };
}

export function getBlockList({ store, container, blob, query }) {
  const waiting = store.blocksOf(`${container}/${blob}`);
  const found =
    waiting.length > 0 ? store.find(container, blob) : store.blob(container, blob, query.snapshot);
  const way = query.blocklisttype ?? 'committed';
  if (!['committed', 'uncommitted', 'all'].includes(way)) throw invalidQuery('blocklisttype', way);
  const blocks = (list) => ({ Block: list.map(({ id, size }) => ({ Name: id, Size: size })) });
  return {
    headers: {
      'Content-Type': 'application/xml',
      ...(found !== undefined && { ...stampHeaders(found), 'x-ms-blob-content-length': String(found.size) }),
    },
    body: xmlDocument('BlockList', {
      ...(way !== 'uncommitted' && { CommittedBlocks: blocks(found?.committed ?? []) }),
      ...(way !== 'committed' && {
        UncommittedBlocks: blocks(waiting.map(({ block, content }) => ({ id: block, size: content.length }))),
      }),
    }),
  };
}

export function appendBlock(call) {
  const { request, store } = call;
  const found = existing(call);
  if (found.kind !== 'AppendBlob')
    throw new BlobError(409, 'InvalidBlobType', 'The blob type is invalid for this operation.');
  const { headers } = request;
  const bytes = headers['x-ms-copy-source'] === undefined ? call.bytes : sourceBytes(call);
  checkMd5(request, bytes);
  if (bytes.length === 0) throw invalidHeader('Content-Length', '0');
  const place = headers['x-ms-blob-condition-appendpos'];
  if (place !== undefined && Number(place) !== found.size)
    throw new BlobError(
      412,
      'AppendPositionConditionNotMet',
      'The append position condition specified was not met.',
    );
  const most = headers['x-ms-blob-condition-maxsize'];
  if (most !== undefined && found.size + bytes.length > Number(most))
    throw new BlobError(
      412,
      'MaxBlobSizeConditionNotMet',
      'The max blob size condition specified was not met.',
    );
  const count = (found.count ?? 0) + 1;
  const made = store.change(found, {
    content: Buffer.concat([found.content, bytes]),
    count,
    text: undefined,
    json: undefined,
    base64: undefined,
  });
  return {
    status: 201,
    headers: {
      ...stampHeaders(made),
      'Content-MD5': md5Of(bytes),
      'x-ms-blob-append-offset': String(found.size),
      'x-ms-blob-committed-block-count': String(count),
      'x-ms-request-server-encrypted': 'true',
    },
  };
}

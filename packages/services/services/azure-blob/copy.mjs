import { described, forWrite, metadataOf, stampHeaders } from './blobs.mjs';
import { checkConditions, rangeOf } from './conditions.mjs';
import { BlobError, invalidHeader } from './errors.mjs';
import { tagsOfHeader } from './tags.mjs';

/** The blob of this account that a header names as a source. */
function sourceOf({ request, store, account }) {
  const text = String(request.headers['x-ms-copy-source']);
  let url;
  let path;
  try {
    url = new URL(text);
    path = decodeURIComponent(url.pathname);
  } catch {
    throw invalidHeader('x-ms-copy-source', text);
  }
  const mark = `/${account.name}/`;
  const at = path.indexOf(mark);
  const [container, ...rest] = at < 0 ? [''] : path.slice(at + mark.length).split('/');
  const name = rest.join('/');
  const found =
    store.containers.has(container) && name !== ''
      ? store.find(container, name, url.searchParams.get('snapshot') ?? undefined)
      : undefined;
  if (found === undefined)
    throw new BlobError(
      404,
      'CannotVerifyCopySource',
      `The specified blob does not exist: only blobs of the account ${account.name} can be copied.`,
    );
  checkConditions(request.headers, found, { prefix: 'x-ms-source-' });
  return { found, url: `${url.origin}${url.pathname}` };
}

/** The bytes that a block takes from another blob. */
export function sourceBytes(call) {
  const { found } = sourceOf(call);
  const range = rangeOf(call.request.headers['x-ms-source-range'], found.size);
  return range === undefined ? found.content : found.content.subarray(range.first, range.last + 1);
}

/** Copies a blob: at once, or with `copyPending` so that it is pending for a while. */
export function copyBlob(call) {
  const { request, store, container, blob, copyPending } = call;
  const { headers } = request;
  store.container(container);
  const { found, url } = sourceOf(call);
  forWrite(call);
  const isSync = headers['x-ms-requires-sync'] === 'true' || headers['x-ms-blob-type'] !== undefined;
  const metadata = metadataOf(request);
  const said = described({
    headers: { ...headers, 'x-ms-blob-content-type': headers['x-ms-blob-content-type'] ?? found.type },
  });
  const id = store.uuid();
  const until =
    copyPending === true && !isSync ? store.now + 1000 * Number(store.vars.copy_delay ?? 2) : undefined;
  const made = store.put(container, blob, {
    kind: found.kind,
    content: found.content,
    committed: found.committed,
    ...(found.count !== undefined && { count: found.count }),
    ...(found.md5 !== undefined && { md5: found.md5 }),
    type: said.type,
    headers: Object.keys(said.headers).length > 0 ? said.headers : found.headers,
    metadata: Object.keys(metadata).length > 0 ? metadata : found.metadata,
    tags: headers['x-ms-copy-source-tag-option'] === 'COPY' ? found.tags : tagsOfHeader(headers['x-ms-tags']),
    tier: said.tier ?? found.tier,
    copy: { id, source: url, status: 'success', time: store.now, ...(until !== undefined && { until }) },
  });
  return {
    status: headers['x-ms-blob-type'] === undefined ? 202 : 201,
    headers: {
      ...stampHeaders(made),
      'x-ms-copy-id': id,
      'x-ms-copy-status': until === undefined ? 'success' : 'pending',
    },
  };
}

export function abortCopy({ store, container, blob }) {
  const found = store.blob(container, blob);
  if (found.copy?.until === undefined || store.now >= found.copy.until)
    throw new BlobError(409, 'NoPendingCopyOperation', 'There is currently no pending copy operation.');
  const { until: _until, ...copy } = found.copy;
  store.change(found, { content: Buffer.alloc(0), copy: { ...copy, status: 'aborted' } });
  return { status: 204 };
}

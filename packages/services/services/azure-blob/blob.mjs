import { authenticate } from './auth.mjs';
import { batch } from './batch.mjs';
import * as blobs from './blobs.mjs';
import * as blocks from './blocks.mjs';
import * as containers from './containers.mjs';
import { abortCopy, copyBlob } from './copy.mjs';
import { BlobError, errorAnswer } from './errors.mjs';
import { findByTags, listBlobs, listContainers } from './listing.mjs';
import { Store } from './store.mjs';

const BASE = '/azure-blob';

/** What a call does by its method and `comp`, with the permission that it needs. */
const SERVICE = {
  'GET list': [listContainers, 'l'],
  'GET properties': [containers.serviceProperties, 'r'],
  'HEAD properties': [containers.accountInfo, 'r'],
  'GET blobs': [findByTags, 'f'],
};
const CONTAINER = {
  'PUT ': [containers.createContainer, 'cw'],
  'GET ': [containers.getContainer, 'rl'],
  'HEAD ': [containers.getContainer, 'rl'],
  'DELETE ': [containers.deleteContainer, 'd'],
  'GET list': [listBlobs, 'l'],
  'GET blobs': [findByTags, 'f'],
  'PUT metadata': [containers.setContainerMetadata, 'w'],
  'GET metadata': [containers.getContainer, 'rl'],
  'HEAD metadata': [containers.getContainer, 'rl'],
  'GET acl': [containers.getAcl, 'none'],
  'HEAD acl': [containers.getAcl, 'none'],
  'PUT acl': [containers.setAcl, 'none'],
  'PUT lease': [containers.leaseContainer, 'w'],
};
const isCopy = ({ request }) => request.headers['x-ms-copy-source'] !== undefined;
const BLOB = {
  'PUT ': [(call) => (isCopy(call) ? copyBlob(call) : blobs.putBlob(call)), 'cw'],
  'GET ': [blobs.getBlob, 'r'],
  'HEAD ': [blobs.getBlob, 'r'],
  'DELETE ': [blobs.deleteBlob, 'd'],
  'PUT block': [blocks.putBlock, 'cw'],
  'PUT blocklist': [blocks.putBlockList, 'cw'],
  'GET blocklist': [blocks.getBlockList, 'r'],
  'PUT appendblock': [blocks.appendBlock, 'aw'],
  'PUT metadata': [blobs.setMetadata, 'w'],
  'GET metadata': [blobs.getBlob, 'r'],
  'HEAD metadata': [blobs.getBlob, 'r'],
  'PUT properties': [blobs.setProperties, 'w'],
  'PUT tags': [blobs.setTags, 't'],
  'GET tags': [blobs.getTags, 't'],
  'PUT tier': [blobs.setTier, 'w'],
  'PUT snapshot': [blobs.makeSnapshot, 'cw'],
  'PUT lease': [blobs.leaseBlob, 'w'],
  'PUT copy': [abortCopy, 'w'],
};

const textOf = (value) => (Array.isArray(value) ? value[0] : value);

function placeOf({ path }, name) {
  const [, account, container = '', ...rest] = path.slice(BASE.length).split('/');
  if (account !== name)
    throw new BlobError(
      404,
      'ResourceNotFound',
      `There is no account ${account ?? ''}: paths begin with ${BASE}/${name}/, then come a container and a blob.`,
    );
  try {
    return { container: decodeURIComponent(container), blob: rest.map(decodeURIComponent).join('/') };
  } catch {
    throw new BlobError(
      400,
      'InvalidUri',
      'The requested URI does not represent any resource on the server.',
    );
  }
}

function callOf(request, context, options) {
  const store = new Store(context);
  const { account: name, key } = store.vars;
  const query = Object.fromEntries(
    Object.entries(request.query).map(([one, value]) => [one.toLowerCase(), textOf(value)]),
  );
  const { raw_body: body } = request;
  return {
    ...placeOf(request, name),
    ...options,
    request,
    store,
    query,
    now: store.now,
    account: { name, key },
    base: BASE,
    bytes: body === undefined ? Buffer.alloc(0) : Buffer.from(body),
  };
}

function perform(call) {
  const { request, query, container, blob } = call;
  const [type, known] =
    container === '' ? ['service', SERVICE] : blob === '' ? ['container', CONTAINER] : ['object', BLOB];
  const isAccount = query.restype === 'account';
  // Any container or blob shows the account.
  const found =
    isAccount && query.comp === 'properties'
      ? [containers.accountInfo, 'r']
      : known[`${request.method} ${query.comp ?? ''}`];
  // A container that is asked for without saying so is a blob of the container $root.
  if (found === undefined || (type === 'container' && !isAccount && query.restype !== 'container')) {
    const names = Object.keys(known).map((one) => one.trim().replace(' ', ' comp='));
    const restype = type === 'container' ? ' with restype=container' : '';
    throw new BlobError(
      400,
      'InvalidUri',
      `The requested URI does not represent any resource on the server: the service azure-blob knows for a ${type === 'object' ? 'blob' : type}${restype}: ${names.join(', ')}.`,
    );
  }
  const [act, permission] = found;
  authenticate(call, { permission, type });
  return act(call);
}

function answerWith(options) {
  return (request, context) => {
    const ids = idsOf(request, context);
    const refused = (error, { method }) => {
      if (error.code === 'too_large')
        return refused(new BlobError(413, 'RequestBodyTooLarge', `There is no room: ${error.message}`), {
          method,
        });
      if (!(error instanceof BlobError)) throw error;
      return errorAnswer(error, { ids, now: context.clock.now(), method });
    };
    const one = (inner) => {
      try {
        const made = perform(callOf(inner, context, options));
        return { ...made, headers: { ...ids, ...made.headers } };
      } catch (error) {
        return refused(error, inner);
      }
    };
    if (request.method !== 'POST') return one(request);
    try {
      const call = callOf(request, context, options);
      if (call.query.comp !== 'batch') return one(request);
      if (call.blob !== '')
        throw new BlobError(400, 'InvalidUri', 'A batch is sent to the service or to a container.');
      // Each request of a batch is signed by itself.
      if (request.headers.authorization === undefined && call.query.sig === undefined)
        authenticate(call, { permission: 'd', type: 'service' });
      return batch(call, one).then(
        (made) => ({ ...made, headers: { ...ids, ...made.headers } }),
        (error) => refused(error, request),
      );
    } catch (error) {
      return refused(error, request);
    }
  };
}

const idsOf = (request, context) => ({
  'x-ms-request-id': context.random.uuid(),
  'x-ms-version': String(request.headers['x-ms-version'] ?? '2025-01-05'),
  ...(request.headers['x-ms-client-request-id'] && {
    'x-ms-client-request-id': String(request.headers['x-ms-client-request-id']),
  }),
});

const fault =
  (...error) =>
  (request, context) =>
    errorAnswer(new BlobError(...error), {
      ids: idsOf(request, context),
      now: context.clock.now(),
      method: request.method,
    });

export const answer = answerWith({});
export const copyLate = answerWith({ copyPending: true });
export const throttled = fault(
  503,
  'ServerBusy',
  'The server is currently unable to receive requests. Please retry your request.',
  {
    headers: { 'Retry-After': '1' },
  },
);
export const outage = fault(
  500,
  'InternalError',
  'The server encountered an internal error. Please retry the request.',
);
export const wrongCredentials = fault(
  403,
  'AuthenticationFailed',
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
);
export const expired = fault(
  403,
  'AuthenticationFailed',
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
  {
    fields: { AuthenticationErrorDetail: 'Signature not valid in the specified time frame' },
  },
);
export const disabled = fault(403, 'AccountIsDisabled', 'The specified account is disabled.');

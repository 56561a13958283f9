import { AwsError } from '../../aws/errors.mjs';
import { makeFaults } from '../../aws/faults.mjs';
import { protocolOf } from '../../aws/protocols.mjs';
import { bytesOf } from '../../aws/request.mjs';
import { checkShapes } from './shapes.mjs';
import { BASE, Call, answerCall, refused } from './call.mjs';

/** S3, and the other services: each is loaded when it is called first, so that a start costs nothing for them. */
const loadS3 = once(async () => {
  const { makeS3 } = await import('../../aws/s3/index.mjs');
  return makeS3({ collections: 'aws:s3-', base: BASE });
});

/** The services that are told apart by the name of their operation. */
const TABLES = {
  dynamodb: () => import('./dynamodb/index.mjs'),
  secretsmanager: () => import('./secrets.mjs'),
  ses: () => import('./emails.mjs'),
  sns: () => import('./sns/index.mjs'),
  sqs: () => import('./sqs/index.mjs'),
  sts: () => import('./sts.mjs'),
};

/** Those that are told apart by their paths. */
const ROUTES = {
  sesv2: { base: '/v2/email/', load: () => import('./emails.mjs') },
  lambda: { base: '/2015-03-31/functions', load: () => import('./lambda.mjs') },
};

function once(load) {
  let loading;
  return () => (loading ??= load());
}

/** @param options - what a scenario changes: `isShort` of batches of DynamoDB, `redelivers` of SQS */
function makeAnswer(options = {}) {
  return async (request, context) => {
    const protocol = protocolOf(request, BASE);
    if (protocol.service === 's3') return (await loadS3()).answer(request, context);
    const call = new Call(request, context, { ...protocol, ...options });
    if (Object.hasOwn(ROUTES, protocol.service)) return answerRoute(call, ROUTES[protocol.service]);
    if (!Object.hasOwn(TABLES, protocol.service)) return refused(unknownService(call), call);
    const { operations, ...forms } = await TABLES[protocol.service]();
    return answerCall(call, operations, forms);
  };
}

async function answerRoute(call, { base, load }) {
  const { request } = call;
  try {
    const { routes } = await load();
    const path = request.path.slice(BASE.length + base.length);
    for (const { method, path: pattern, act, whole } of routes) {
      const found = pattern.exec(path);
      if (found === null || request.method !== method) continue;
      const bytes = bytesOf(request);
      const made = await act(
        whole === true || bytes.length === 0 ? {} : checkShapes(parse(bytes), call.service),
        call,
        found.slice(1).map(decode),
      );
      if (whole === true)
        return { ...made, headers: { 'x-amzn-RequestId': call.requestId, ...made.headers } };
      return {
        headers: { 'Content-Type': 'application/json', 'x-amzn-RequestId': call.requestId },
        json: made,
      };
    }
    const known = routes.map(
      ({ method, path: pattern }) =>
        `${method} ${base}${pattern.source.slice(1, -1).replaceAll('\\/', '/').replace('([^/]+)', '{name}').replace('/?', '')}`,
    );
    throw new AwsError(
      'UnknownOperationException',
      `${request.method} ${request.path} is not mocked; these are: ${known.join(', ')}.`,
      { status: 404 },
    );
  } catch (error) {
    return refused(error, call);
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(bytes) {
  try {
    const value = JSON.parse(bytes.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new AwsError('SerializationException', `The body is no JSON: ${error.message}`);
  }
  throw new AwsError('SerializationException', 'The body must be an object of JSON.');
}

function unknownService({ service, action }) {
  const known = [...Object.keys(TABLES), ...Object.keys(ROUTES), 's3'].sort().join(', ');
  return new AwsError(
    'UnknownOperationException',
    `The service ${String(service)} (${String(action)}) is not mocked; these are: ${known}.`,
  );
}

export const answer = makeAnswer();
/** Batches of DynamoDB carry out the first of each table, and give back the others. */
export const answerShort = makeAnswer({ isShort: true });
/** SQS delivers each message again at once. */
export const redeliver = makeAnswer({ redelivers: true });
/** Lists of S3 do not know yet what is new. */
export async function listLate(request, context) {
  return (await loadS3()).listLate(request, context);
}

/** SES knows no sender. */
export function unverified(request, context) {
  const call = new Call(request, context, protocolOf(request, BASE));
  const message =
    'Email address is not verified. The following identities failed the check in region US-EAST-1';
  return refused(new AwsError('MessageRejected', message), call);
}

export const { throttled, outage, wrongCredentials, expiredToken, clockSkew } = makeFaults({
  base: BASE,
  answer,
});

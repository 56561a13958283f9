import { AwsError } from '../../aws/errors.mjs';
import { bytesOf } from '../../aws/request.mjs';

const MAX_PAYLOAD = 6 * 1024 * 1024;

function functionOf(name, call) {
  const id = decodeURIComponent(name)
    .replace(/^arn:aws[\w-]*:lambda:[^:]*:\d*:function:/, '')
    .replace(/:[\w$-]+$/, '');
  const row = call.find('functions', id);
  if (row !== undefined) return row;
  throw new AwsError(
    'ResourceNotFoundException',
    `Function not found: ${call.arn('lambda', `function:${id}`)}`,
    { status: 404, fields: { Type: 'User' } },
  );
}

/** What a function answers: what its row says, and with `echo` what it was called with. */
function answerOf({ answer, error, echo }, payload) {
  if (error !== undefined) return { payload: JSON.stringify(error), failure: 'Unhandled' };
  if (echo === true) return { payload };
  return { payload: JSON.stringify(answer ?? null) };
}

function invoke(_input, call, [name]) {
  const row = functionOf(name, call);
  const { headers } = call.request;
  const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
  const payload = bytesOf(call.request).toString();
  if (payload.length > MAX_PAYLOAD)
    throw new AwsError(
      'RequestTooLargeException',
      `${payload.length} byte payload is too large for the RequestResponse invocation type (limit ${MAX_PAYLOAD} bytes)`,
      { status: 413 },
    );
  let event = {};
  try {
    if (payload !== '') event = JSON.parse(payload);
  } catch (error) {
    throw new AwsError(
      'InvalidRequestContentException',
      `Could not parse request body into json: ${error.message}`,
      {
        fields: { Type: 'User' },
      },
    );
  }
  if (type === 'DryRun') return { status: 204 };
  if (type !== 'RequestResponse' && type !== 'Event')
    throw new AwsError('InvalidParameterValueException', `Unknown invocation type ${String(type)}`, {
      fields: { Type: 'User' },
    });
  call.rows('invocations').create({ id: call.requestId, function: row.id, type, event });
  if (type === 'Event') return { status: 202 };
  const { payload: answer, failure } = answerOf(row, payload === '' ? '{}' : payload);
  const log = `START RequestId: ${call.requestId} Version: $LATEST\nEND RequestId: ${call.requestId}\n`;
  return {
    headers: {
      'X-Amz-Executed-Version': '$LATEST',
      ...(failure === undefined ? {} : { 'X-Amz-Function-Error': failure }),
      ...(headers['x-amz-log-type'] === 'Tail'
        ? { 'X-Amz-Log-Result': Buffer.from(log).toString('base64') }
        : {}),
      'Content-Type': 'application/json',
    },
    body: answer,
  };
}

function described(row, call) {
  return {
    FunctionName: row.id,
    FunctionArn: call.arn('lambda', `function:${row.id}`),
    Runtime: row.runtime ?? 'nodejs22.x',
    Handler: row.handler ?? 'index.handler',
    Version: '$LATEST',
    State: 'Active',
    Timeout: row.timeout ?? 3,
    MemorySize: row.memory ?? 128,
  };
}

/** By method and path below `/2015-03-31/functions`. */
export const routes = [
  { method: 'POST', path: /^\/([^/]+)\/invocations$/, act: invoke, whole: true },
  {
    method: 'GET',
    path: /^\/?$/,
    act: (_input, call) => ({
      Functions: call
        .rows('functions')
        .list()
        .map((row) => described(row, call)),
    }),
  },
  {
    method: 'GET',
    path: /^\/([^/]+)\/configuration$/,
    act: (_input, call, [name]) => described(functionOf(name, call), call),
  },
  {
    method: 'GET',
    path: /^\/([^/]+)$/,
    act: (_input, call, [name]) => ({ Configuration: described(functionOf(name, call), call) }),
  },
];

import { AwsError, errorAnswer } from '../../aws/errors.mjs';
import { addressOf, bytesOf } from '../../aws/request.mjs';
import { checkShapes } from './shapes.mjs';
import { queryAnswer, readQuery } from './query.mjs';

/** The path of all services together. */
export const BASE = '/aws';

/** What a call brings, and what its operation needs of the mock. */
export class Call {
  constructor(request, context, protocol) {
    Object.assign(this, protocol);
    this.request = request;
    this.context = context;
    this.requestId = context.random.uuid();
  }

  /** The rows of a collection of the service. */
  rows(name) {
    return this.context.collection(`aws:${name}`);
  }

  /** A row, or `undefined`. */
  find(name, id) {
    const rows = this.rows(name);
    return typeof id === 'string' && rows.has(id) ? rows.get(id) : undefined;
  }

  /** Puts a row in place of one with the same key, or adds it. */
  put(name, row) {
    const rows = this.rows(name);
    return rows.has(row.id) ? rows.replace(row.id, row) : rows.create(row);
  }

  get now() {
    return this.context.clock.now();
  }

  get vars() {
    return this.context.vars.aws ?? {};
  }

  get account() {
    return String(this.vars.account ?? '000000000000');
  }

  get address() {
    return addressOf(this.request, BASE);
  }

  uuid() {
    return this.context.random.uuid();
  }

  token(length) {
    return this.context.random.string(length);
  }

  arn(service, resource, region = this.region) {
    return `arn:aws:${service}:${region}:${this.account}:${resource}`;
  }
}

/**
 * Answers a call by the table of the operations of its service.
 *
 * @param table - the operations by name; each takes the parameters and the {@link Call}
 * @param options - `fields`: what the parameters of a query are as those of JSON; `show`: what an answer of JSON is in a query
 */
export async function answerCall(call, table, { fields = (input) => input, show = (output) => output } = {}) {
  const { action, protocol, request } = call;
  try {
    const operation = Object.hasOwn(table, action) ? table[action] : undefined;
    if (operation === undefined) throw unknownOperation(call, table);
    if (protocol === 'query') {
      const form = request.method === 'POST' ? request.form : request.query;
      const output = await operation(checkShapes(fields(readQuery(form ?? {}), action), call.service), call);
      return queryAnswer(call, show(output ?? {}, action));
    }
    const output = await operation(checkShapes(readJson(request), call.service), call);
    return {
      headers: {
        'Content-Type': `application/x-amz-json-${call.version}`,
        'x-amzn-RequestId': call.requestId,
      },
      json: output ?? {},
    };
  } catch (error) {
    return refused(error, call);
  }
}

/** The answer to a call that has failed; what is no refusal is thrown on. */
export function refused(error, call) {
  if (error instanceof AwsError) return errorAnswer(error, call);
  if (error.code !== 'too_large') throw error;
  return errorAnswer(new AwsError('LimitExceededException', `There is no room: ${error.message}`), call);
}

function readJson(request) {
  const bytes = bytesOf(request);
  let value;
  try {
    value = bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  } catch {
    // Told below.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new AwsError('SerializationException', 'The body must be an object of JSON.');
}

function unknownOperation({ service, protocol, action }, table) {
  const known = Object.keys(table).join(', ');
  return new AwsError(
    protocol === 'query' ? 'InvalidAction' : 'UnknownOperationException',
    `The operation ${String(action)} of ${service} is not mocked; these are: ${known}.`,
  );
}

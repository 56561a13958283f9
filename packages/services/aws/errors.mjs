import { errorAnswer as s3Answer } from './s3/errors.mjs';
import { xmlDocument } from './xml.mjs';

/** A call that a service refuses, as SDKs know it by the code. */
export class AwsError extends Error {
  /** @param options.fields - further members of the answer; `type`: the namespace of the code in JSON; `query`: the code in the query protocol */
  constructor(code, message, { status = 400, fields = {}, query, headers = {} } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.query = query;
    this.headers = headers;
  }
}

/** The answer to a call that is refused, in the form of the protocol that the client speaks. */
export function errorAnswer(error, call) {
  const { protocol, namespace, requestId, request } = call;
  const { code, status, message, fields = {}, query, headers = {} } = error;
  const type = status >= 500 ? 'Receiver' : 'Sender';
  switch (protocol) {
    case 's3':
      return s3Answer(
        { status, code, message, headers },
        { path: request.path, ids: { 'x-amz-request-id': requestId, 'x-amz-id-2': requestId } },
      );
    case 'query':
      return {
        status: query?.status ?? status,
        headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': requestId, ...headers },
        body: xmlDocument(
          'ErrorResponse',
          { Error: { Type: type, Code: query?.code ?? code, Message: message }, RequestId: requestId },
          namespace,
        ),
      };
    case 'rest':
      return {
        status,
        headers: {
          'Content-Type': 'application/json',
          'x-amzn-RequestId': requestId,
          'x-amzn-ErrorType': code,
          ...headers,
        },
        json: { message, ...fields },
      };
    default: {
      const { version = '1.0', prefix = '' } = call;
      const old = query === undefined ? {} : { 'x-amzn-query-error': `${query.code};${type}` };
      return {
        status,
        headers: {
          'Content-Type': `application/x-amz-json-${version}`,
          'x-amzn-RequestId': requestId,
          ...old,
          ...headers,
        },
        json: { __type: `${prefix}${code}`, message, ...fields },
      };
    }
  }
}

import { xmlDocument } from '../xml.mjs';

/** A call that S3 refuses, as SDKs know it by the code. */
export class S3Error extends Error {
  /** @param fields - further elements of the answer, such as `Key` */
  constructor(status, code, message, fields = {}, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.headers = headers;
  }
}

/** The answer to a call that is refused. */
export function errorAnswer({ status, code, message, fields = {}, headers = {} }, { path, ids }) {
  return {
    status,
    headers: { ...ids, ...headers, 'Content-Type': 'application/xml' },
    body: xmlDocument('Error', {
      Code: code,
      Message: message,
      ...fields,
      Resource: path,
      RequestId: ids['x-amz-request-id'],
      HostId: ids['x-amz-id-2'],
    }),
  };
}

export function noSuchKey(key) {
  return new S3Error(404, 'NoSuchKey', 'The specified key does not exist.', { Key: key });
}

export function invalidArgument(name, value, message) {
  return new S3Error(400, 'InvalidArgument', message, { ArgumentName: name, ArgumentValue: value ?? '' });
}

export function malformedXml() {
  return new S3Error(
    400,
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );
}

export function notImplemented(what, known) {
  return new S3Error(
    501,
    'NotImplemented',
    `A header or parameter you provided implies functionality that is not implemented: ${what}.${known === undefined ? '' : ` The service knows ${known}.`}`,
  );
}

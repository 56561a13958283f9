import { xmlDocument } from '../../aws/xml.mjs';

/** A call that Azure refuses, as its SDKs know it by the code. */
export class BlobError extends Error {
  /** @param fields - further elements of the answer, such as `HeaderName` */
  constructor(status, code, message, { fields = {}, headers = {} } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.headers = headers;
  }
}

export function errorAnswer({ status, code, message, fields, headers }, { ids, now, method }) {
  const all = { ...ids, ...headers, 'x-ms-error-code': code };
  if (method === 'HEAD' || status === 304) return { status, headers: all };
  const time = new Date(now).toISOString();
  return {
    status,
    headers: { ...all, 'Content-Type': 'application/xml' },
    body: xmlDocument('Error', {
      Code: code,
      Message: `${message}\nRequestId:${ids['x-ms-request-id']}\nTime:${time}`,
      ...fields,
    }),
  };
}

export const noContainer = () =>
  new BlobError(404, 'ContainerNotFound', 'The specified container does not exist.');
export const noBlob = () => new BlobError(404, 'BlobNotFound', 'The specified blob does not exist.');
export const invalidHeader = (name, value, message) =>
  new BlobError(
    400,
    'InvalidHeaderValue',
    message ?? 'The value for one of the HTTP headers is not in the correct format.',
    { fields: { HeaderName: name, HeaderValue: value ?? '' } },
  );
export const missingHeader = (name) =>
  new BlobError(
    400,
    'MissingRequiredHeader',
    'An HTTP header that is mandatory for this request is not specified.',
    {
      fields: { HeaderName: name },
    },
  );
export const invalidQuery = (name, value, message) =>
  new BlobError(
    400,
    'InvalidQueryParameterValue',
    message ?? 'Value for one of the query parameters specified in the request URI is invalid.',
    { fields: { QueryParameterName: name, QueryParameterValue: value ?? '' } },
  );
export const invalidXml = () =>
  new BlobError(400, 'InvalidXmlDocument', 'XML specified is not syntactically valid.');

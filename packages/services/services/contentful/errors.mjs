/** A call that Contentful refuses, as its SDKs know it by the id. */
export class ContentfulError extends Error {
  constructor(status, id, message, details = {}) {
    super(message);
    this.status = status;
    this.id = id;
    this.details = details;
  }
}

export const notFound = (type, id) =>
  new ContentfulError(404, 'NotFound', 'The resource could not be found.', { type, id });
export const invalidQuery = (name, details) =>
  new ContentfulError(
    400,
    'InvalidQuery',
    'The query you sent was invalid. Probably a filter or ordering specification is not applicable to the type of a field.',
    {
      errors: [{ name, details }],
    },
  );
export const invalidEntity = (id, errors) => new ContentfulError(422, id, 'Validation error', { errors });
export const versionMismatch = () =>
  new ContentfulError(409, 'VersionMismatch', 'The version number you supplied is invalid.');

export function errorAnswer({ status, id, message, details }, requestId, headers = {}) {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'X-Contentful-Request-Id': requestId, ...headers },
    json: {
      sys: { type: 'Error', id },
      message,
      ...(Object.keys(details).length > 0 && { details }),
      requestId,
    },
  };
}

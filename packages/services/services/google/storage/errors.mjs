/** A call that Cloud Storage refuses, as its SDKs know it by the status and the reason. */
export class StorageError extends Error {
  constructor(status, reason, message, headers = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.headers = headers;
  }
}

/** An error as Google has it in JSON, or as a text where bytes were asked for. */
export function errorAnswer({ status, reason, message, headers = {} }, isMedia = false) {
  if (status === 304) return { status, headers };
  if (isMedia)
    return { status, headers: { ...headers, 'Content-Type': 'text/html; charset=UTF-8' }, body: message };
  const errors = [{ message, domain: reason === 'rateLimitExceeded' ? 'usageLimits' : 'global', reason }];
  return { status, headers, json: { error: { code: status, message, errors } } };
}

export const noBucket = () => new StorageError(404, 'notFound', 'The specified bucket does not exist.');
export const noObject = (bucket, name) =>
  new StorageError(404, 'notFound', `No such object: ${bucket}/${name}`);
export const invalid = (message) => new StorageError(400, 'invalid', message);
export const required = (name) => new StorageError(400, 'required', `Required parameter: ${name}`);
export const notMocked = (what) => new StorageError(501, 'notImplemented', `${what} is not mocked.`);
export const unmet = (status = 412) =>
  new StorageError(
    status,
    'conditionNotMet',
    'At least one of the pre-conditions you specified did not hold.',
  );

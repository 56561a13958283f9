/** A call that Pub/Sub refuses, with a code of gRPC. */
export class PubsubError extends Error {
  /** @param details - messages of `google.rpc` that say more */
  constructor(code, message, details = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export const invalid = (message) => new PubsubError('INVALID_ARGUMENT', message);
export const notMocked = (what) => new PubsubError('UNIMPLEMENTED', `${what} is not mocked.`);
export const noResource = (name) =>
  new PubsubError('NOT_FOUND', `Resource not found (resource=${name.slice(name.lastIndexOf('/') + 1)}).`);
export const isThere = (kind, name) =>
  new PubsubError(
    'ALREADY_EXISTS',
    `Resource already exists in the project (resource=${name.slice(name.lastIndexOf('/') + 1)}, a ${kind}).`,
  );

/** What the error of a call is answered as. @throws what is no refusal */
export function refusalOf(thrown) {
  if (thrown?.code === 'too_large')
    return { code: 'RESOURCE_EXHAUSTED', message: `There is no room: ${thrown.message}`, details: [] };
  if (!(thrown instanceof PubsubError)) throw thrown;
  const { code, message, details } = thrown;
  return { code, message, details };
}

/** A function of a mock whose calls are refused with what it throws. */
export function operation(makeStore, run) {
  return async ({ body }, context) => {
    try {
      return { response: await run(body, makeStore(context), context) };
    } catch (thrown) {
      const { code, message, details } = refusalOf(thrown);
      return { error: { code, message, ...(details.length > 0 && { details }) } };
    }
  };
}

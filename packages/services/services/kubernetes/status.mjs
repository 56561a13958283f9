/** What a call is refused with: the server says it as an object of the kind Status. */
export class Refusal extends Error {
  constructor(code, reason, message, { details, headers = {} } = {}) {
    super(message);
    this.headers = headers;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    };
  }

  get answer() {
    return { status: this.status.code, headers: this.headers, json: this.status };
  }
}

/** The name of a resource with its group, as messages have it: `deployments.apps`. */
export const nameOf = ({ plural, group }) => (group === '' ? plural : `${plural}.${group}`);

const detailsOf = ({ plural, group }, name, more = {}) => ({
  ...(name === undefined ? {} : { name }),
  ...(group === '' ? {} : { group }),
  kind: plural,
  ...more,
});

export const notFound = (resource, name) =>
  new Refusal(404, 'NotFound', `${nameOf(resource)} "${name}" not found`, {
    details: detailsOf(resource, name),
  });

export const noSuchPath = (path, known) =>
  new Refusal(
    404,
    'NotFound',
    `the server could not find the requested resource: nothing is at ${path}; the service kubernetes knows ${known}`,
    { details: { causes: [{ reason: 'UnexpectedServerResponse', message: '404 page not found' }] } },
  );

export const alreadyExists = (resource, name) =>
  new Refusal(409, 'AlreadyExists', `${nameOf(resource)} "${name}" already exists`, {
    details: detailsOf(resource, name),
  });

export const conflict = (
  resource,
  name,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
) =>
  new Refusal(409, 'Conflict', `Operation cannot be fulfilled on ${nameOf(resource)} "${name}": ${why}`, {
    details: detailsOf(resource, name),
  });

export const badRequest = (message) => new Refusal(400, 'BadRequest', message);

export const forbidden = (resource, name, why) =>
  new Refusal(403, 'Forbidden', `${nameOf(resource)} "${name}" is forbidden: ${why}`, {
    details: detailsOf(resource, name),
  });

export const methodNotAllowed = () =>
  new Refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    details: {},
  });

export const expired = (message) => new Refusal(410, 'Expired', message);

export const unsupported = (type) =>
  new Refusal(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml; got ${type}`,
  );

/** Fields that are not as they must be. Each cause is `{field, reason, message}`. */
export function invalid(resource, name, causes) {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new Refusal(422, 'Invalid', `${resource.kind}${dotted(resource)} "${name}" is invalid: ${all}`, {
    details: {
      name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.kind,
      causes,
    },
  });
}

const dotted = ({ group }) => (group === '' ? '' : `.${group}`);

/** What a deletion is answered with. */
export const success = (resource, name, uid) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: detailsOf(resource, name, uid === undefined ? {} : { uid }),
});

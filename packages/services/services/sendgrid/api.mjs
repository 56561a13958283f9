/** A call that SendGrid refuses: each error with the field that it is about. */
export class SendgridError extends Error {
  constructor(status, message, field = null) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** What is wrong with a field of a mail. */
export const invalid = (message, field, status = 400) => new SendgridError(status, message, field);

/** Makes the function of a mock: it checks the key, and answers what `act` throws as SendGrid does. */
export function operation(act) {
  return (request, context) => {
    try {
      const key = /^Bearer (.+)$/i.exec(String(request.headers.authorization ?? ''))?.[1];
      if (key === undefined || key.includes('invalid'))
        throw invalid('The provided authorization grant is invalid, expired, or revoked', null, 401);
      if (key.includes('readonly') && request.method !== 'GET') throw invalid('access forbidden', null, 403);
      return act({ request, context, body: request.body });
    } catch (error) {
      if (!(error instanceof SendgridError)) throw error;
      const { status, message, field } = error;
      return { status, json: { errors: [{ message, field, help: null }] } };
    }
  };
}

export const rowsOf = ({ collection }, name) => collection(`sendgrid:${name}`);

/** The row with an id. @throws SendgridError 404 */
export function find(context, name, id) {
  const rows = rowsOf(context, name);
  if (rows.has(id)) return rows.get(id);
  throw invalid('resource not found', null, 404);
}

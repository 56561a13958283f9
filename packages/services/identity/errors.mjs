/** A call that the provider refuses, by an error code of OAuth (RFC 6749, section 5.2). */
export class OAuthError extends Error {
  constructor(code, description, { status = 400, headers = {} } = {}) {
    super(description);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** What is missing in a request, or wrong in it. */
export function invalidRequest(description) {
  return new OAuthError('invalid_request', description);
}

/** A request that no application can be told of, since nothing says safely where it is: a page says so. */
export class PageError extends Error {
  constructor(message, status = 400) {
    super(message);
    this.status = status;
  }
}

/** What is wrong goes back to the application, in the redirect. */
export class RedirectError extends Error {
  constructor(code, description) {
    super(description);
    this.code = code;
  }
}

/** A request with a token that does not count (RFC 6750, section 3.1). */
export function invalidToken(description) {
  return new OAuthError('invalid_token', description, {
    status: 401,
    headers: { 'WWW-Authenticate': `Bearer error="invalid_token", error_description="${description}"` },
  });
}

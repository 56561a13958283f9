import { AwsError, errorAnswer } from './errors.mjs';
import { protocolOf } from './protocols.mjs';
import { signedAt } from './request.mjs';

/** What services answer that have their own names for it; `json`, `query` and `rest` stand for the others of that protocol. */
const REFUSALS = {
  throttled: {
    s3: [503, 'SlowDown', 'Please reduce your request rate.'],
    sqs: [400, 'RequestThrottled', 'The request was denied due to request throttling.'],
    sesv2: [429, 'TooManyRequestsException', 'Too many requests have been made to the operation.'],
    lambda: [
      429,
      'TooManyRequestsException',
      'Rate Exceeded.',
      { Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded' },
    ],
    json: [400, 'ThrottlingException', 'Rate exceeded'],
    query: [400, 'Throttling', 'Rate exceeded'],
  },
  outage: {
    s3: [503, 'ServiceUnavailable', 'Service is unable to handle request.'],
    dynamodb: [500, 'InternalServerError', 'The request processing has failed because of an unknown error.'],
    secretsmanager: [500, 'InternalServiceError', 'An error occurred on the server side.'],
    lambda: [500, 'ServiceException', 'The Lambda service encountered an internal error.'],
    json: [500, 'InternalFailure', 'The request processing has failed because of an unknown error.'],
    query: [500, 'InternalFailure', 'The request processing has failed because of an unknown error.'],
    rest: [
      500,
      'InternalServiceErrorException',
      'The request processing has failed because of an unknown error.',
    ],
  },
  wrongCredentials: {
    s3: [403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.'],
    sqs: [403, 'InvalidClientTokenId', 'The security token included in the request is invalid.'],
    json: [400, 'UnrecognizedClientException', 'The security token included in the request is invalid.'],
    query: [403, 'InvalidClientTokenId', 'The security token included in the request is invalid.'],
    rest: [403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'],
  },
  expiredToken: {
    s3: [400, 'ExpiredToken', 'The provided token has expired.'],
    json: [400, 'ExpiredTokenException', 'The security token included in the request is expired'],
    query: [403, 'ExpiredToken', 'The security token included in the request is expired'],
    rest: [403, 'ExpiredTokenException', 'The security token included in the request is expired'],
  },
  clockSkew: {
    s3: [
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
    ],
    json: [400, 'InvalidSignatureException', 'Signature expired: the request was signed too long ago'],
    query: [403, 'SignatureDoesNotMatch', 'Signature expired: the request was signed too long ago'],
    rest: [403, 'InvalidSignatureException', 'Signature expired: the request was signed too long ago'],
  },
};

const HOUR = 3_600_000;
const SKEW = 900_000;

/**
 * The functions of scenarios in which every call is refused, each service in its own way.
 *
 * @param base - the path of the services
 * @param answer - what the service answers when a call is not refused
 */
export function makeFaults({ base, answer }) {
  const refuse =
    (name, headers = {}) =>
    (request, context) => {
      const call = protocolOf(request, base);
      const table = REFUSALS[name];
      const [status, code, message, fields] = table[call.service] ?? table[call.protocol];
      const error = new AwsError(code, message, { status, fields, headers });
      return errorAnswer(error, { ...call, request, requestId: context.random.uuid() });
    };
  return {
    throttled: refuse('throttled'),
    outage: refuse('outage'),
    wrongCredentials: refuse('wrongCredentials'),
    expiredToken: refuse('expiredToken'),
    /** The clock of the service is an hour ahead: SDKs read that from `Date`, and sign again. */
    async clockSkew(request, context) {
      const now = context.clock.now() + HOUR;
      const date = { Date: new Date(now).toUTCString() };
      const signed = signedAt(request) ?? now;
      if (Math.abs(now - signed) > SKEW) return refuse('clockSkew', date)(request, context);
      const made = await answer(request, context);
      return { ...made, headers: { ...made.headers, ...date } };
    },
  };
}

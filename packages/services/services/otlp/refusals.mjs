import { OtlpError, refusal } from '../../otlp/answers.mjs';

const RETRY = { 'Retry-After': '1' };

export const rateLimited = (request) => refusal(request, new OtlpError(429, 8, 'too many exports', RETRY));
export const unavailable = (request) =>
  refusal(request, new OtlpError(503, 14, 'the collector is not available', RETRY));
export const unauthenticated = (request) =>
  refusal(request, new OtlpError(401, 16, 'the credentials are not accepted'));

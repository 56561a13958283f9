export { encodeBody, hasNoContent, HttpAnswer, jsonAnswer, shareAnswer } from './http/answer.js';
export { corsHeaders, isPreflight, preflightHeaders } from './http/cors.js';
export { DEFAULT_HTTP_FAULT, faultAnswer, headerProblems, type HttpFaultFields } from './http/fault.js';
export { shareHeaders } from './http/header-set.js';
export {
  cleanHeaderValue,
  isHeaderName,
  isHeaderValue,
  makeHeaders,
  readHeaders,
  type AnswerHeaders,
  type HeaderView,
} from './http/headers.js';
export { HeldAnswers } from './http/held-answers.js';
export { HttpAcceptor, type HttpAcceptorOptions } from './http/http-acceptor.js';
export { plainRecord } from './http/plain-record.js';
export { addField, NO_FIELDS, parseFields, readFields, type Fields } from './http/query.js';
export { announcesTooMuch, discardBody, readBody, type BodySource } from './http/read-body.js';
export { endWithHttp, refuseHttpBytes, refuseHttpTunnel } from './http/refusals.js';
export { refuseLargeBody } from './http/refuse-large-body.js';
export { RequestTurns } from './http/request-turns.js';
export { sendHttp1Answer, truncateHttp1Answer } from './http/send-answer.js';
export { SessionWatch } from './http/session-watch.js';

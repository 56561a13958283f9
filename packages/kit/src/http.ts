export { bytesOf, encodeBody, hasNoContent, HttpAnswer, jsonAnswer, shareAnswer } from './http/answer.js';
export { AnswerStream, type StreamedResponse } from './http/answer-stream.js';
export { viewBody, type BodyViews } from './http/body-views.js';
export {
  BROKEN_FORMS,
  garbageBytes,
  loseHttp1Answer,
  truncatedLength,
  type BrokenForm,
  type LostForm,
} from './http/broken.js';
export { curlLine, type CurlRequest } from './http/curl-line.js';
export { chooseCoding, compressAnswer, isCompressible, withVary } from './http/compress-answer.js';
export { corsHeaders, isPreflight, preflightHeaders } from './http/cors.js';
export { codingsOf, readDecodedBody, type ContentCoding, type DecodeFailure } from './http/decode-body.js';
export {
  bytesBeforeEnd,
  DEFAULT_HTTP_FAULT,
  faultAnswer,
  checkHttpFault,
  bodyProblems,
  faultProblems,
  faultText,
  headerProblems,
  lostFormOf,
  type HttpFaultFields,
} from './http/fault.js';
export { goAway } from './http/go-away.js';
export { parseForm, readForm } from './http/form.js';
export { shareHeaders } from './http/header-set.js';
export {
  cleanHeaderValue,
  CONNECTION_HEADERS,
  isHeaderName,
  isHeaderValue,
  makeHeaders,
  readHeaders,
  type AnswerHeaders,
  type HeaderView,
} from './http/headers.js';
export {
  HTTP_REQUESTS,
  isHttpGuest,
  type Claim,
  type GuestRequest,
  type GuestServer,
  type HttpGuest,
  type RequestHead,
} from './http/guest.js';
export { handRequestOver, type HandOver } from './http/hand-over.js';
export { HeldAnswers } from './http/held-answers.js';
export {
  HttpAcceptor,
  type EnteringUpgrade,
  type HttpAcceptorOptions,
  type HttpUpgrade,
  type RequestEntrance,
} from './http/http-acceptor.js';
export { nestFields } from './http/nested-fields.js';
export { plainHost } from './http/plain-host.js';
export { plainRecord } from './http/plain-record.js';
export { addField, NO_FIELDS, parseFields, readFields, type Fields } from './http/query.js';
export { rangeAnswer, withAcceptRanges, type RangeRequest } from './http/ranges.js';
export { announcesTooMuch, discardBody, readBody, type BodySource } from './http/read-body.js';
export { endWithHttp, refuseHttpBytes, refuseHttpTunnel } from './http/refusals.js';
export { refuseLargeBody } from './http/refuse-large-body.js';
export { Http1Replier, type Replier } from './http/replier.js';
export { handToHttp1 } from './http/hand-to-http1.js';
export { RequestTurns } from './http/request-turns.js';
export { sendHttp1Answer, truncateHttp1Answer } from './http/send-answer.js';
export { SessionWatch } from './http/session-watch.js';
export { partViewSteps, readFormParts, readPartViews, type FormPart, type PartView } from './mime/parts.js';
export { spaceOfRequest } from './http/space-of-request.js';

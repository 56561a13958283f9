export { formatAddress, plainAddress } from './address.js';
export { admitBy } from './admit-by.js';
export { answerFrames, type Answerable, type FrameHandlers } from './answer-frames.js';
export {
  isCertificateHost,
  loadTls,
  processCertificate,
  wishForCertificate,
  type CertificateWishes,
  type KeyAndCertificate,
  type TlsOptions,
} from './certificate.js';
export { keptCaFile } from './kept-certificate.js';
export { CaptureMoments, type CaptureMoment } from './capture-moments.js';
export type { BufferLimits, SocketTaker } from './connection-owner.js';
export { ChunkSlice } from './chunk-slice.js';
export { Connection } from './connection.js';
export {
  createDatagramServer,
  type DatagramRemote,
  type DatagramServer,
  type DatagramServerOptions,
} from './datagram-server.js';
export { ByteQueue } from './framing/byte-queue.js';
export { ByteReader } from './framing/byte-reader.js';
export { ByteWriter } from './framing/byte-writer.js';
export { DelimiterFramer, type DelimiterFramerOptions } from './framing/delimiter-framer.js';
export { Framer, type OnFrame } from './framing/framer.js';
export { FramingError, isFramingError, type FramingErrorCode } from './framing/framing-error.js';
export { Gathered } from './framing/gathered.js';
export { LengthPrefixFramer, type LengthPrefixFramerOptions } from './framing/length-prefix-framer.js';
export { LineFramer, type LineFramerOptions } from './framing/line-framer.js';
export { encodeBody, hasNoContent, HttpAnswer, jsonAnswer, shareAnswer } from './http/answer.js';
export { shareHeaders } from './http/header-set.js';
export { corsHeaders, isPreflight, preflightHeaders } from './http/cors.js';
export { DEFAULT_HTTP_FAULT, faultAnswer, headerProblems, type HttpFaultFields } from './http/fault.js';
export {
  cleanHeaderValue,
  isHeaderName,
  isHeaderValue,
  makeHeaders,
  readHeaders,
  type AnswerHeaders,
  type HeaderView,
} from './http/headers.js';
export { HeldReading } from './held-reading.js';
export { HeldAnswers } from './http/held-answers.js';
export { HttpAcceptor, type HttpAcceptorOptions } from './http/http-acceptor.js';
export { plainRecord } from './http/plain-record.js';
export { addField, NO_FIELDS, parseFields, type Fields } from './http/query.js';
export { announcesTooMuch, discardBody, readBody, type BodySource } from './http/read-body.js';
export { refuseLargeBody } from './http/refuse-large-body.js';
export { sendHttp1Answer, truncateHttp1Answer } from './http/send-answer.js';
export { endWithHttp, refuseHttpBytes, refuseHttpTunnel } from './http/refusals.js';
export { SessionWatch } from './http/session-watch.js';
export { IdleWatch, type IdleMark, type IdleWatchOptions } from './idle-watch.js';
export { JobQueue, NEXT_TURN, type Job, type JobQueueOptions } from './job-queue.js';
export { KeptBytes } from './kept-bytes.js';
export { startOnOnePort, type PortBinder } from './listen-addresses.js';
export { decoderFor, findDecoder } from './mime/charset.js';
export { decodeContent, type EncodedContent } from './mime/decode-content.js';
export { isNetworkError } from './network-error.js';
export { PendingAnswers, type Abortable, type PendingAnswersOptions } from './pending-answers.js';
export { ProvenAddresses } from './proven-addresses.js';
export { readFrames } from './read-frames.js';
export { secureAndServe, secureOrServe } from './secure-or-serve.js';
export {
  activeTls,
  createService,
  type DatagramPart,
  type ListenerService,
  type ServiceContext,
  type ServiceOptions,
  type StreamPart,
} from './service.js';
export { RequestTurns } from './http/request-turns.js';
export { sniff, type SniffHandler, type SniffOptions } from './sniff.js';
export type {
  Admission,
  StreamErrorPlace,
  StreamLimits,
  StreamServer,
  StreamServerOptions,
} from './stream-options.js';
export { createStreamServer } from './stream-server.js';
export type { StreamTls } from './tls-acceptor.js';
export { compileSubject, type CompiledSubject } from './wildcards/compile-subject.js';
export { WildcardIndex } from './wildcards/wildcard-index.js';
export { WildcardNames, type WildcardHints } from './wildcards/wildcard-names.js';
export type { WildcardSyntax } from './wildcards/wildcard-syntax.js';
export { timers, type Timer, type TimerOptions, type Timers } from './timers.js';

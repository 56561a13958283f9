export { formatAddress, plainAddress } from './address.js';
export { admitBy } from './admit-by.js';
export { answerFrames, type Answerable, type FrameHandlers } from './answer-frames.js';
export {
  BEARER_MECHANISMS,
  bearerChallenge,
  isBearerMechanism,
  readBearerResponse,
  type BearerMechanism,
  type BearerResponse,
} from './bearer-login.js';
export {
  checkTls,
  isCertificateHost,
  loadTls,
  processCertificate,
  shareCertificate,
  wishForCertificate,
  type CertificateWishes,
  type KeyAndCertificate,
  type TlsOptions,
} from './certificate.js';
export { keptCaFile } from './kept-certificate.js';
export { CaptureMoments, type CaptureMoment } from './capture-moments.js';
export type { BufferLimits, SocketTaker } from './connection-owner.js';
export { ChunkSlice } from './chunk-slice.js';
export { companionContext, withCompanion, type Companion } from './companion.js';
export { composeMail, withLineEnds, type Letter } from './compose-mail.js';
export { enterSpace, type ConnectionEntrance } from './enter-space.js';
export { Connection } from './connection.js';
export {
  createDatagramServer,
  type DatagramRemote,
  type DatagramServer,
  type DatagramServerOptions,
} from './datagram-server.js';
export { createGuestService, GuestConnections, type GuestServiceOptions } from './guest-service.js';
export { isGivenMail, MAIL, type GivenMail } from './given-mail.js';
export { HeldReading } from './held-reading.js';
export { IdleWatch, type IdleMark, type IdleWatchOptions } from './idle-watch.js';
export { JobQueue, NEXT_TURN, type Job, type JobQueueOptions } from './job-queue.js';
export { KeptBytes } from '@backlot/core/plugin';
export { startOnOnePort, type PortBinder } from './listen-addresses.js';
export { Logins, type LoginUser } from './logins.js';
export { decoderFor, findDecoder } from './mime/charset.js';
export { decodeContent, type EncodedContent } from './mime/decode-content.js';
export { isNetworkError } from './network-error.js';
export { describeClient, type ClientFacts } from './open-connections.js';
export { PendingAnswers, type Abortable, type PendingAnswersOptions } from './pending-answers.js';
export { ProvenAddresses } from './proven-addresses.js';
export { readFrames } from './read-frames.js';
export { together } from './renewal.js';
export { isReplay } from './replay.js';
export { rollLogin } from './roll-login.js';
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
export { ShownMessages } from './shown-messages.js';
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
export { timers, type Timer, type TimerOptions, type Timers } from './timers.js';

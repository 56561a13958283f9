/** The texts of `-ERR`, as the server of the NATS project words them (NATS client protocol, "+OK/ERR"). */
export const ERRORS = {
  unknownOperation: 'Unknown Protocol Operation',
  parser: 'Parser Error',
  controlLine: 'maximum control line exceeded',
  payload: 'Maximum Payload Violation',
  subscribeSubject: 'Invalid Subject',
  subscriptions: 'maximum subscriptions exceeded',
  publishSubject: 'Invalid Publish Subject',
  authorization: 'Authorization Violation',
  authenticationTimeout: 'Authentication Timeout',
  stale: 'Stale Connection',
  slowConsumer: 'Slow Consumer',
  clientProtocol: 'invalid client protocol',
  noRespondersWithoutHeaders: 'no responders requires headers support',
  headersNotSupported: 'message headers not supported',
} as const;

/** One of the texts of {@link ERRORS}. */
export type ErrorText = (typeof ERRORS)[keyof typeof ERRORS];

/** A client broke the protocol: it is told why, and cut. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  /** What it is told. */
  readonly text: ErrorText;

  constructor(text: ErrorText) {
    super(text);
    this.text = text;
  }
}

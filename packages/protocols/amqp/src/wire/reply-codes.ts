/** Section 1.2 of the protocol: the reply codes that are used here. */
export const REPLY = {
  contentTooLarge: 311,
  noRoute: 312,
  connectionForced: 320,
  accessRefused: 403,
  notFound: 404,
  resourceLocked: 405,
  preconditionFailed: 406,
  frameError: 501,
  syntaxError: 502,
  commandInvalid: 503,
  channelError: 504,
  unexpectedFrame: 505,
  resourceError: 506,
  notAllowed: 530,
  notImplemented: 540,
  internalError: 541,
} as const;

/** What stands in front of a reply text, as RabbitMQ has it. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [REPLY.contentTooLarge, 'CONTENT_TOO_LARGE'],
  [REPLY.noRoute, 'NO_ROUTE'],
  [313, 'NO_CONSUMERS'],
  [REPLY.connectionForced, 'CONNECTION_FORCED'],
  [402, 'INVALID_PATH'],
  [REPLY.accessRefused, 'ACCESS_REFUSED'],
  [REPLY.notFound, 'NOT_FOUND'],
  [REPLY.resourceLocked, 'RESOURCE_LOCKED'],
  [REPLY.preconditionFailed, 'PRECONDITION_FAILED'],
  [REPLY.frameError, 'FRAME_ERROR'],
  [REPLY.syntaxError, 'SYNTAX_ERROR'],
  [REPLY.commandInvalid, 'COMMAND_INVALID'],
  [REPLY.channelError, 'CHANNEL_ERROR'],
  [REPLY.unexpectedFrame, 'UNEXPECTED_FRAME'],
  [REPLY.resourceError, 'RESOURCE_ERROR'],
  [REPLY.notAllowed, 'NOT_ALLOWED'],
  [REPLY.notImplemented, 'NOT_IMPLEMENTED'],
  [REPLY.internalError, 'INTERNAL_ERROR'],
]);

/** The codes that end the connection; all others end the channel. */
const HARD: ReadonlySet<number> = new Set([320, 402, 501, 502, 503, 504, 505, 506, 530, 540, 541]);

/** The name of a reply code, such as `NOT_FOUND`. */
export function nameOfReply(code: number): string {
  return NAMES.get(code) ?? `ERROR_${code}`;
}

/** Whether a reply code ends the connection and not the channel alone. */
export function endsConnection(code: number): boolean {
  return HARD.has(code);
}

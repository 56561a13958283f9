/** What MQTT 5, section 2.4, calls the reasons; 3.1.1 has them without numbers. */
export const REASON = {
  SUCCESS: 0x00,
  DISCONNECT_WITH_WILL: 0x04,
  NO_SUBSCRIPTION_EXISTED: 0x11,
  UNSPECIFIED: 0x80,
  MALFORMED: 0x81,
  PROTOCOL_ERROR: 0x82,
  UNSUPPORTED_VERSION: 0x84,
  CLIENT_ID_NOT_VALID: 0x85,
  BAD_LOGIN: 0x86,
  NOT_AUTHORIZED: 0x87,
  SERVER_SHUTTING_DOWN: 0x8b,
  BAD_AUTHENTICATION_METHOD: 0x8c,
  KEEP_ALIVE_TIMEOUT: 0x8d,
  SESSION_TAKEN_OVER: 0x8e,
  FILTER_INVALID: 0x8f,
  TOPIC_INVALID: 0x90,
  PAYLOAD_FORMAT_INVALID: 0x99,
  PACKET_ID_NOT_FOUND: 0x92,
  RECEIVE_MAXIMUM_EXCEEDED: 0x93,
  TOPIC_ALIAS_INVALID: 0x94,
  PACKET_TOO_LARGE: 0x95,
  QUOTA_EXCEEDED: 0x97,
  RETAIN_NOT_SUPPORTED: 0x9a,
  QOS_NOT_SUPPORTED: 0x9b,
  SHARED_NOT_SUPPORTED: 0x9e,
  IDENTIFIERS_NOT_SUPPORTED: 0xa1,
  WILDCARDS_NOT_SUPPORTED: 0xa2,
} as const;

/** Bytes or an order of packets that MQTT does not allow. `code` is the MQTT 5 reason. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}

/** A CONNECT of MQTT 5 that is refused: its client can be told. */
export class RefusedConnect extends ProtocolError {
  constructor(code: number, message: string) {
    super(code, message);
    this.name = 'RefusedConnect';
  }
}

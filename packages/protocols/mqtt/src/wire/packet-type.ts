/** The control packet types (MQTT 5, section 2.1.2). */
export const PACKET = {
  CONNECT: 1,
  CONNACK: 2,
  PUBLISH: 3,
  PUBACK: 4,
  PUBREC: 5,
  PUBREL: 6,
  PUBCOMP: 7,
  SUBSCRIBE: 8,
  SUBACK: 9,
  UNSUBSCRIBE: 10,
  UNSUBACK: 11,
  PINGREQ: 12,
  PINGRESP: 13,
  DISCONNECT: 14,
  AUTH: 15,
} as const;

/** 3 is MQTT 3.1, 4 is 3.1.1. */
export type Version = 3 | 4 | 5;

/** A quality of service (MQTT 5, section 4.3). */
export type Qos = 0 | 1 | 2;

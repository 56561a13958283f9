/** AMQP 0-9-1 section 4.2.3: what a frame holds. */
export const FRAME = { method: 1, header: 2, body: 3, heartbeat: 8 } as const;

/** The last octet of every frame. */
export const FRAME_END = 0xce;
/** Octets in front of a frame's payload: type, channel and size. */
export const FRAME_START = 7;
/** Octets of a frame beside its payload. */
export const FRAME_OVERHEAD = 8;

/** Section 4.2.2: what a client sends first, and what it gets when it speaks something else. */
export const PROTOCOL_HEADER = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1');

/** A frame that says nothing but that its sender is there. */
export const HEARTBEAT = Buffer.from([FRAME.heartbeat, 0, 0, 0, 0, 0, 0, FRAME_END]);

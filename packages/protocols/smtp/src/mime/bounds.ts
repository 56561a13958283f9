/** Bytes of a mail's head that are read, and fields in it. */
export const MAX_HEAD = 256 * 1024;
/** The same of the head of a part. */
export const MAX_PART_HEAD = 16 * 1024;
/** Fields of a head that are read. */
export const MAX_FIELDS = 1000;
/** Parts that are read, those that hold others included. */
export const MAX_PARTS = 1000;
/** How deep parts and forwarded messages may be within each other. */
export const MAX_DEPTH = 20;

/** How many bytes are gone through between two moments at which others may be let in. */
export const STEP = 64 * 1024;

/**
 * Bytes of a body or payload beyond which only its type is checked: a check is one step of the event loop, and a larger one would hold
 * up all other clients.
 */
export const MOST_BYTES = 256 * 1024;

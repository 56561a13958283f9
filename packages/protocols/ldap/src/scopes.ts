/** How far a search goes (RFC 4511, section 4.5.1.2), in the order of the numbers on the wire. */
export const SCOPES = ['base', 'one', 'sub'] as const;

/** See {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

import type { Transport } from './transport.js';

/** Shared by all copies of this package, since one process may hold its ESM and its CommonJS form. */
const REMOTE = Symbol.for('backlot.client.remote');

/** What matchers and assertions ask of a server, one of its protocols or one of its mocks. */
export interface RemoteSubject {
  readonly type: 'backlot' | 'protocol' | 'mock';
  /** What messages call it: `smtp`, `mock "order" of http`. */
  readonly name: string;
  readonly transport: Transport;
  /** There for a protocol and a mock. */
  readonly kind?: string;
  /** There for a mock. */
  readonly mockId?: string;
}

/** Marks a value so that matchers and assertions accept it. */
export function markRemote(value: object, subject: RemoteSubject): void {
  Object.defineProperty(value, REMOTE, { value: subject });
}

/** What {@link markRemote} has marked a value with; `undefined` for any other value. */
export function remoteSubjectOf(value: unknown): RemoteSubject | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { readonly [REMOTE]?: RemoteSubject })[REMOTE];
}

import type { Connection } from '@backlot/kit';

/** The way to one data connection: a port that waits for the client, or the client's own port. */
export interface DataChannel {
  /**
   * The connection, once it is there. Called once.
   *
   * @throws ReplyError 425 when it does not come about
   */
  open(): Promise<Connection>;
  /** Gives the port back and ends the connection; what was sent is delivered. Safe to call twice. */
  close(): void;
  /** Waits no longer for a connection that is not there yet. */
  giveUp(): void;
  /** Like {@link close}, and cuts the connection. */
  abort(): void;
}

/** How long a transfer waits for its connection, in ms. */
export const CONNECT_PATIENCE = 10_000;

/** How long a data connection may stand still, in ms. */
export const TRANSFER_PATIENCE = 60_000;

import { connectMessaging } from './exchanges-messaging.js';
import { connectNetwork } from './exchanges-network.js';
import { connectStores } from './exchanges-stores.js';
import { connectWeb } from './exchanges-web.js';

/** One real exchange of a client with a kind. */
export interface Exchange {
  /** What the kind is started with, beside its port. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Lets a client talk to it, and gives what the client got. */
  run(port: number): Promise<unknown>;
  /** What the client must get. */
  readonly want: unknown;
}

/** An exchange for each kind. */
export const EXCHANGES: Readonly<Record<string, Exchange>> = {
  ...connectWeb,
  ...connectStores,
  ...connectMessaging,
  ...connectNetwork,
};

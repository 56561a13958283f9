import type { Context, Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import type { Authentication } from '../auth.js';
import type { Greylist } from '../greylist.js';
import type { MailTransactions } from '../mail-transactions.js';
import type { SmtpShape } from '../shape.js';
import { relayedAuthentication } from './logins.js';
import { SmtpLine } from './line.js';
import { RelayedTransactions } from './transactions.js';

/** The most senders and recipients that were deferred and may be taken later. */
const MAX_DEFERRED = 10_000;

/** Passes mails to an upstream, and asks it in the place of rules, or beside them. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly context: Context<SmtpShape>;
  readonly #upstream: Upstream;
  readonly #authorities: Buffer | undefined;
  /** How often what was recorded as deferred was that, by the keys of the recordings. */
  readonly #deferred = new Map<string, number>();

  constructor(context: Context<SmtpShape>, upstream: Upstream) {
    this.context = context;
    this.#upstream = upstream;
    this.#authorities = readAuthorities(upstream);
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (fields) => fields as Readonly<Record<string, unknown>> },
      keepsState: true,
    });
  }

  /** Logins by the upstream. @param transactionsOf - those of the session of a client */
  authenticationBy(transactionsOf: (session: object) => MailTransactions): Authentication {
    return relayedAuthentication((session, login) => {
      const transactions = transactionsOf(session);
      if (transactions instanceof RelayedTransactions) return transactions.logIn(login);
      throw new Error('the session of a client is not one with the upstream');
    });
  }

  /** The mails of a client. */
  transactionsOf(connection: Connection, greylist: Greylist): RelayedTransactions {
    const line = new SmtpLine(connection, this.#upstream, this.#authorities, this.desk.upstreamLog);
    return new RelayedTransactions(connection, this, greylist, line);
  }

  /** A sender or a recipient was deferred, and recorded so. */
  deferred(key: string): void {
    const times = this.#deferred.get(key) ?? 0;
    if (times > 0 || this.#deferred.size < MAX_DEFERRED) this.#deferred.set(key, times + 1);
  }

  /** What may have been deferred before is taken: a replay must not defer it for ever. */
  taken(key: string): void {
    const times = this.#deferred.get(key);
    if (times !== undefined) this.desk.limit(key, times);
  }

  /** Forgets what was recorded. */
  reset(): void {
    this.desk.reset();
    this.#deferred.clear();
  }
}

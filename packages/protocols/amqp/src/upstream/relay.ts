import type { Upstream } from '@backlot/core/plugin';
import { CaptureMoments, type Connection } from '@backlot/kit';
import { readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import type { AmqpContext } from '../shape.js';
import { RelayedSession } from './session.js';

/** Passes clients to an upstream, and asks it in the place of mocks, or beside them. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly context: AmqpContext;
  readonly moments: CaptureMoments;
  readonly upstream: Upstream;
  readonly authorities: Buffer | undefined;

  constructor(context: AmqpContext, upstream: Upstream) {
    this.context = context;
    this.upstream = upstream;
    this.authorities = readAuthorities(upstream);
    this.moments = new CaptureMoments(() => context.newId());
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (response) => ({ response }) },
      keepsState: true,
    });
    context.faults.onChange(() => this.#warnOfFault());
    this.#warnOfFault();
  }

  /** Confirms and the pace of publishers are the upstream's. */
  #warnOfFault(): void {
    const { current } = this.context.faults;
    if (current === undefined) return;
    const { blocked, drop = true } = current;
    if (blocked !== undefined)
      this.context.log.warn(
        `the fault blocked does not act on clients that pass to ${this.upstream.url}; drop and toxics do`,
      );
    else if (drop)
      this.context.log.warn(
        `a message that the fault drops is confirmed by ${this.upstream.url} and not refused: its publisher gets an ack in place of a nack`,
      );
  }

  /** Takes a client. */
  take(connection: Connection): void {
    new RelayedSession(connection, this);
  }
}

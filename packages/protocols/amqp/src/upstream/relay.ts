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
  }

  /** Takes a client. */
  take(connection: Connection): void {
    new RelayedSession(connection, this);
  }
}

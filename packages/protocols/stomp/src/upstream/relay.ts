import type { Context, Upstream } from '@backlot/core/plugin';
import { CaptureMoments } from '@backlot/kit';
import { readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import type { StompShape } from '../shape.js';
import type { Transport } from '../transport/transport.js';
import { RelayedSession } from './session.js';

/** Passes clients to an upstream, and asks it in the place of mocks, or beside them. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly context: Context<StompShape>;
  readonly moments: CaptureMoments;
  readonly upstream: Upstream;
  readonly authorities: Buffer | undefined;

  constructor(context: Context<StompShape>, upstream: Upstream) {
    this.context = context;
    this.upstream = upstream;
    this.authorities = readAuthorities(upstream);
    this.moments = new CaptureMoments(() => context.newId());
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (fields) => fields as Readonly<Record<string, unknown>> },
      keepsState: true,
    });
  }

  /** Takes a client, by TCP or WebSocket; the upstream is reached by TCP. */
  take(transport: Transport): void {
    new RelayedSession(transport, this);
  }
}

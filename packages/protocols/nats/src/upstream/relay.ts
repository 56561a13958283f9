import type { Context, Upstream } from '@backlot/core/plugin';
import { CaptureMoments, secureAndServe, secureOrServe, type Connection } from '@backlot/kit';
import { readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import type { NatsShape } from '../shape.js';
import { writeInfo, type OwnFacts } from './info.js';
import { reachUpstream } from './reach.js';
import { RelayedSession } from './session.js';

/** Passes clients to an upstream, and asks it in the place of mocks, or beside them. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly context: Context<NatsShape>;
  readonly moments: CaptureMoments;
  readonly upstream: Upstream;
  readonly authorities: Buffer | undefined;

  constructor(context: Context<NatsShape>, upstream: Upstream) {
    this.context = context;
    this.upstream = upstream;
    this.authorities = readAuthorities(upstream);
    this.moments = new CaptureMoments(() => context.newId());
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (response) => ({ response }) },
      keepsState: true,
    });
  }

  /** Takes a client: it is greeted as the upstream greets, and begins TLS as the listener has it. */
  take(connection: Connection, facts: OwnFacts, begins: 'at once' | 'either' | 'later'): void {
    connection.setIdleTimeout(0);
    const leaving = new AbortController();
    connection.onClose(() => leaving.abort());
    reachUpstream(connection, this.upstream, this.authorities, leaving.signal).then(
      connection.isolate(({ socket, info, unread }) => {
        connection.onClose(() => socket.destroy());
        connection.write(writeInfo(info, facts));
        const serve = (): void => void new RelayedSession(connection, this, facts, { socket, unread });
        if (begins === 'later') secureAndServe(connection, serve);
        else if (begins === 'either') secureOrServe(connection, serve);
        else serve();
      }),
      connection.isolate((error: unknown) => {
        if (leaving.signal.aborted) return;
        this.desk.upstreamLog.failed(error);
        connection.reset();
      }),
    );
  }
}

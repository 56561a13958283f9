import type { Context, Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import type { LdapShape } from '../shape.js';
import { LdapLine } from './line.js';

/** Asks an upstream in the place of mocks, or beside them. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly #upstream: Upstream;
  readonly #authorities: Buffer | undefined;

  constructor(context: Context<LdapShape>, upstream: Upstream) {
    this.#upstream = upstream;
    this.#authorities = readAuthorities(upstream);
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'state', answer: (answer) => answer as Readonly<Record<string, unknown>> },
      keepsState: true,
    });
  }

  /** The line to the upstream for a client. */
  lineFor(connection: Connection): LdapLine {
    return new LdapLine(connection, this.#upstream, this.#authorities, this.desk.upstreamLog);
  }
}

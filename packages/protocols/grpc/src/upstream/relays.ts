import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Upstream } from '@backlot/core/plugin';
import type { GuestServer } from '@backlot/kit/http';
import { readAuthorities, UpstreamDesk } from '@backlot/kit/upstream';
import type { GrpcContext } from '../shape.js';
import { Learned } from './learned-schemas.js';
import { Relay, type RelayParts } from './relay.js';

/** The most servers whose sessions are kept; the one that was asked least recently gives way. */
const MAX_SERVERS = 200;

/** The upstreams of a service: one server, or those that its calls are for. */
export class Relays {
  readonly #context: GrpcContext;
  readonly #upstream: Upstream;
  readonly #parts: RelayParts;
  readonly #learned = new Learned();
  /** The only server, where the settings name one. */
  readonly #only: Relay | undefined;
  /** By url, in the order of their last use. */
  readonly #byUrl = new Map<string, Relay>();

  /** @throws BacklotError `invalid` for authorities that cannot be read */
  constructor(context: GrpcContext, upstream: Upstream) {
    this.#context = context;
    this.#upstream = upstream;
    this.#parts = {
      authorities: readAuthorities(upstream),
      learned: this.#learned,
      desk: new UpstreamDesk(context, upstream, {
        form: { as: 'times', answer: (fields) => fields as Readonly<Record<string, unknown>> },
        keepsState: true,
      }),
    };
    if (!upstream.isOpen) this.#only = new Relay(context, upstream, this.#parts);
  }

  /**
   * What asks the server of a call.
   *
   * @param server - which the call is for, where it has come to a proxy
   * @returns `undefined` where nothing is behind the call
   */
  of(server: GuestServer | undefined): Relay | undefined {
    if (this.#only !== undefined || server === undefined) return this.#only;
    const { url, host, port, path, isSecure } = server;
    const relay =
      this.#byUrl.get(url) ??
      new Relay(this.#context, { ...this.#upstream, url, host, port, path, isSecure }, this.#parts);
    this.#byUrl.delete(url);
    this.#byUrl.set(url, relay);
    const [oldest] = this.#byUrl;
    if (this.#byUrl.size > MAX_SERVERS && oldest !== undefined) {
      this.#byUrl.delete(oldest[0]);
      oldest[1].retire();
    }
    return relay;
  }

  /** The files that were learned, as a descriptor set in base64; `undefined` when there are none. */
  get descriptors(): string | undefined {
    const { files } = this.#learned;
    if (files.size === 0) return undefined;
    const writer = new BinaryWriter();
    // google.protobuf.FileDescriptorSet: file = 1.
    for (const bytes of files.values()) writer.uint32(10).bytes(bytes);
    return Buffer.from(writer.finish()).toString('base64');
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.#parts.desk.reset();
  }

  stop(): void {
    this.#only?.stop();
    for (const relay of this.#byUrl.values()) relay.stop();
  }
}

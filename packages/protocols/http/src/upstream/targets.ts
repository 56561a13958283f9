import type { Upstream } from '@backlot/core/plugin';
import { Forwarder } from '@backlot/kit/http-upstream';
import { UpstreamLog } from '@backlot/kit/upstream';

/** The most servers whose connections are kept; the one that was asked least recently gives way. */
const MAX_TARGETS = 200;

/** A server that requests are sent to. */
export interface Target {
  readonly upstream: Upstream;
  readonly forwarder: Forwarder;
  /** Says when it fails. */
  readonly log: UpstreamLog;
}

/** The servers that requests are sent to. */
export class Targets {
  readonly #warn: (text: string) => void;
  /** In the order of their last use. */
  readonly #targets = new Map<string, Target>();

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** @param authorities - of the server's certificate, as they were read at the start */
  of(upstream: Upstream, authorities: Buffer | undefined): Target {
    const { url, mode, ca, verify } = upstream;
    const decodes = mode !== 'passthrough' && mode !== 'spy';
    const key = JSON.stringify([url, decodes, ca, verify]);
    const target = this.#targets.get(key) ?? {
      upstream,
      forwarder: new Forwarder(upstream, { decodes, authorities }),
      log: new UpstreamLog(upstream, this.#warn),
    };
    this.#targets.delete(key);
    this.#targets.set(key, target);
    const [oldest] = this.#targets;
    if (this.#targets.size > MAX_TARGETS && oldest !== undefined) {
      this.#targets.delete(oldest[0]);
      oldest[1].forwarder.retire();
    }
    return target;
  }

  /** Closes all connections. */
  stop(): void {
    for (const { forwarder } of this.#targets.values()) forwarder.stop();
    this.#targets.clear();
  }
}

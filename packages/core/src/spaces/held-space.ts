import type { Host } from '../contract/host.js';
import type { Kind } from '../contract/kind.js';
import type { Space, SpaceListener, SpaceView } from '../contract/spaces.js';
import { realElapsed } from '../time/clock-real.js';
import type { EnteredSpace } from './space-doors.js';

/** The host of a space, as the book of spaces uses it. */
export interface SpaceHost extends Host {
  readonly kinds: readonly Kind[];
  /** When its newest message has begun, by the clock of {@link realElapsed}; -Infinity while there was none. */
  readonly lastMessageAt: number;
  /** Starts kinds. @throws BacklotError `invalid` for names of kinds that are not enabled */
  wakeKinds(names: readonly string[]): Promise<void>;
  /** What the service of a kind has as `entrance`, once it runs. @throws BacklotError `not_enabled` when it has none */
  entranceOf(kind: string): unknown;
}

/** One space. */
export class HeldSpace implements Space, EnteredSpace {
  readonly id: string;
  readonly host: SpaceHost;
  /** Milliseconds without use after which it ends. */
  readonly ttl: number;
  readonly #createdAt = new Date();
  readonly #onEnd = new Set<() => void>();
  readonly #madeAt = realElapsed();
  #usedAt = this.#madeAt;

  constructor(id: string, host: SpaceHost, ttl: number) {
    this.id = id;
    this.host = host;
    this.ttl = ttl;
  }

  use(): void {
    this.#usedAt = realElapsed();
  }

  onEnd(callback: () => void): () => void {
    this.#onEnd.add(callback);
    return () => this.#onEnd.delete(callback);
  }

  /** Ends it, and tells who waits for that. */
  async end(grace: number): Promise<void> {
    await this.host.stop(grace);
    for (const callback of this.#onEnd) callback();
    this.#onEnd.clear();
  }

  /** When it was used last, by the clock of {@link realElapsed}. */
  get usedAt(): number {
    return Math.max(this.#usedAt, this.host.lastMessageAt);
  }

  /** When it ends, by the same clock. */
  get endsAt(): number {
    return this.usedAt + this.ttl;
  }

  entranceOf(kind: string): unknown {
    return this.host.entranceOf(kind);
  }

  view(): SpaceView {
    const protocols: Record<string, SpaceListener> = {};
    const env: Record<string, string> = {};
    for (const { kind, url, address, variables } of this.host.kinds) {
      if (url === undefined || address === undefined) continue;
      protocols[kind] = { url, host: address.host, port: address.port };
      Object.assign(env, variables);
    }
    return {
      id: this.id,
      created_at: this.#createdAt.toISOString(),
      expires_at: new Date(this.#createdAt.getTime() + this.endsAt - this.#madeAt).toISOString(),
      seed: this.host.seed,
      protocols,
      env,
    };
  }
}

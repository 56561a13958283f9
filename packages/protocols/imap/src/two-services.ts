import type { Json, ListenAddress, OpenConnection, Service, ServiceStatus } from '@backlot/core/plugin';
import type { ListenerService } from '@backlot/kit';

/** The service of the kind with that of POP3 beside it: they start and stop together. */
export class TwoServices implements Service {
  readonly #main: ListenerService;
  readonly #pop3: ListenerService;
  readonly #port: number;

  /** @param port - where POP3 is to listen */
  constructor(main: ListenerService, pop3: ListenerService, port: number) {
    this.#main = main;
    this.#pop3 = pop3;
    this.#port = port;
  }

  get data(): NonNullable<Service['data']> {
    return this.#main.data ?? {};
  }

  publish(message: Json): Json | Promise<Json> {
    return this.#main.publish?.(message) ?? {};
  }

  async start(port: number): Promise<ListenAddress> {
    await this.#pop3.start(this.#port);
    try {
      return await this.#main.start(port);
    } catch (error) {
      await this.#pop3.stop(0);
      throw error;
    }
  }

  async stop(graceMilliseconds: number): Promise<void> {
    await Promise.all([this.#main.stop(graceMilliseconds), this.#pop3.stop(graceMilliseconds)]);
  }

  reset(): void {
    this.#main.reset();
    this.#pop3.reset();
  }

  openConnections(): readonly OpenConnection[] {
    // Each numbers its own, from 1.
    const others = this.#pop3.openConnections().map((each) => ({ ...each, id: `pop3-${each.id}` }));
    return [...this.#main.openConnections(), ...others];
  }

  status(): ServiceStatus {
    const { connections = 0, ...status } = this.#main.status();
    const { connections: others = 0, error } = this.#pop3.status();
    const port = this.#pop3.place?.port;
    return {
      ...(error !== undefined && { error }),
      ...status,
      connections: connections + others,
      ...(port !== undefined && { extra: { pop3_port: port } }),
    };
  }
}

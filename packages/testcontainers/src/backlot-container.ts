import { BacklotError } from '@backlot/client';
import { GenericContainer, Wait } from 'testcontainers';
import { StartedBacklotContainer, type InsidePort } from './started-backlot-container.js';

/** The port of the management API in the container. */
const MANAGEMENT_PORT = 9091;
/** The port of the first protocol in the container; the others follow. Which numbers they are, nobody outside sees. */
const FIRST_PORT = 21_000;
/** A port, as Testcontainers takes it. */
type PortWithOptionalBinding = Parameters<GenericContainer['withExposedPorts']>[number];
/** Where the image looks for its configuration; the folder is the one in which it works. */
const CONFIG = '/config/backlot.yaml';

/**
 * Backlot in a container, from the image that the `Dockerfile` of the repository makes.
 *
 * @typeParam Kinds - the protocols that are named by {@link withProtocols}
 * @example
 * const container = await new BacklotContainer('backlot').withProtocols('http', 'redis').start();
 * const backlot = await container.client({ protocols: [http] });
 */
export class BacklotContainer<Kinds extends string = never> extends GenericContainer {
  readonly #kinds = new Map<string, InsidePort>();
  #token: string | undefined;

  /** @param image - the name of the image, with its tag: there is no published one, which a default could name */
  constructor(image: string) {
    super(image);
    this.withExposedPorts(MANAGEMENT_PORT);
    this.withEnvironment({ BACKLOT_API_PORT: String(MANAGEMENT_PORT) });
    this.#waitForHealth();
  }

  /**
   * The protocols that run and are reached from outside, such as `http`, also those of plugins. Those that speak UDP are named by
   * {@link withDatagramProtocols}.
   *
   * Some tell their clients an address, such as that of a Kafka broker; a client outside can only follow it when the port is the same inside
   * and outside: see {@link withFixedPort}.
   */
  withProtocols<const K extends readonly string[]>(...kinds: K): BacklotContainer<Kinds | K[number]> {
    for (const kind of kinds) this.#add(kind, this.#nextPort());
    return this as BacklotContainer<Kinds | K[number]>;
  }

  /** As {@link withProtocols} for protocols that speak UDP, such as `dns`: of a port, Testcontainers knows either TCP or UDP. */
  withDatagramProtocols<const K extends readonly string[]>(...kinds: K): BacklotContainer<Kinds | K[number]> {
    for (const kind of kinds) this.#add(kind, `${this.#nextPort()}/udp`);
    return this as BacklotContainer<Kinds | K[number]>;
  }

  /** As {@link withProtocols} for one protocol, which has this port inside and outside. */
  withFixedPort<K extends string>(kind: K, port: number): BacklotContainer<Kinds | K> {
    this.#add(kind, { container: port, host: port });
    return this as BacklotContainer<Kinds | K>;
  }

  /** The configuration: the text of a YAML or JSON file, or the same as an object. Ports in it are not taken. */
  withConfig(config: string | object): this {
    const content = typeof config === 'string' ? config : JSON.stringify(config);
    return this.withCopyContentToContainer([{ content, target: CONFIG }]);
  }

  /** The configuration from a file. Others that it names are put beside it in `/config`, by `withCopyFilesToContainer`. */
  withConfigFile(file: string): this {
    return this.withCopyFilesToContainer([{ source: file, target: CONFIG }]);
  }

  /** The token that the management API asks for; without one it takes requests from anybody who reaches its port. */
  withToken(token: string): this {
    this.#token = token;
    this.#waitForHealth();
    return this.withEnvironment({ BACKLOT_API_TOKEN: token });
  }

  /**
   * Starts it, and waits until its management API answers.
   *
   * @throws BacklotError `invalid` when no protocol is named, or one that is named does not run
   */
  override async start(): Promise<StartedBacklotContainer<Kinds>> {
    if (this.#kinds.size === 0)
      throw new BacklotError(
        'invalid',
        "no protocol is named, so none could be reached: call withProtocols('http') before start()",
      );
    const started = await super.start();
    try {
      return await StartedBacklotContainer.of<Kinds>(started, this.#kinds, MANAGEMENT_PORT, this.#token);
    } catch (thrown) {
      await started.stop();
      throw thrown;
    }
  }

  #nextPort(): number {
    return FIRST_PORT + this.#kinds.size;
  }

  #add(kind: string, port: PortWithOptionalBinding): void {
    if (this.#kinds.has(kind)) throw new BacklotError('conflict', `${kind} is named twice; name it once`);
    this.withExposedPorts(port);
    const inside = typeof port === 'object' ? port.container : Number.parseInt(String(port), 10);
    this.#kinds.set(kind, { port: inside, isDatagram: typeof port === 'string' });
    const only = [...this.#kinds.keys()].join(',');
    // A variable that is set twice would be there twice.
    this.createOpts.Env = (this.createOpts.Env ?? []).filter((line) => !line.startsWith('BACKLOT_ONLY='));
    this.withEnvironment({ BACKLOT_ONLY: only, [portVariable(kind)]: String(inside) });
  }

  #waitForHealth(): void {
    const health = Wait.forHttp('/api/health', MANAGEMENT_PORT, { abortOnContainerExit: true });
    this.withWaitStrategy(
      this.#token === undefined ? health : health.withHeaders({ Authorization: `Bearer ${this.#token}` }),
    );
  }
}

/** The variable that the command reads for the port of a protocol. */
function portVariable(kind: string): string {
  return `BACKLOT_${kind.toUpperCase().replaceAll('-', '_')}_PORT`;
}

import {
  BacklotError,
  connect,
  createSpace,
  type ConnectOptions,
  type Place,
  type ProtocolName,
  type RemoteBacklot,
  type SpaceClient,
  type SpaceOptions,
} from '@backlot/client';
import { AbstractStartedContainer, type StartedTestContainer } from 'testcontainers';

interface Status {
  readonly protocol: string;
  readonly state: string;
  readonly transport: string;
  readonly port?: number;
  readonly url?: string;
  readonly error?: string;
}

/** The port of a protocol in the container, and whether it was published for UDP. */
export interface InsidePort {
  readonly port: number;
  readonly isDatagram: boolean;
}

/** Where the container itself says what its clients cannot choose: it is told by its addresses. */
type Reached = 'url' | 'token' | 'places';

/** A Backlot that runs in a container. */
export class StartedBacklotContainer<Kinds extends string = string> extends AbstractStartedContainer {
  /** The url of the management API, and of the page. */
  readonly managementUrl: string;
  /** The url of each protocol from outside the container. */
  readonly urls: Readonly<Record<Kinds, string>>;
  /** Its port from outside. */
  readonly ports: Readonly<Record<Kinds, number>>;
  readonly #token: string | undefined;

  private constructor(
    started: StartedTestContainer,
    managementUrl: string,
    places: Readonly<Record<Kinds, Required<Place>>>,
    token: string | undefined,
  ) {
    super(started);
    this.managementUrl = managementUrl;
    const all = Object.entries<Required<Place>>(places);
    // They have the kinds of `places`.
    this.urls = Object.fromEntries(all.map(([kind, { url }]) => [kind, url])) as Record<Kinds, string>;
    this.ports = Object.fromEntries(all.map(([kind, { port }]) => [kind, port])) as Record<Kinds, number>;
    this.#token = token;
  }

  /**
   * Asks a container that has started where its protocols are.
   *
   * @param kinds - the port of each protocol in the container
   * @throws BacklotError `not_enabled` when one does not run; `invalid` when one was published for the wrong transport
   */
  static async of<Kinds extends string>(
    started: StartedTestContainer,
    kinds: ReadonlyMap<string, InsidePort>,
    managementPort: number,
    token: string | undefined,
  ): Promise<StartedBacklotContainer<Kinds>> {
    const host = started.getHost();
    const url = `http://${bracketed(host)}:${started.getMappedPort(managementPort)}`;
    const server = await connect({ url, ...(token !== undefined && { token }) });
    const all = await server.call<readonly Status[]>('GET', '/protocols');
    const places: Record<string, Required<Place>> = {};
    for (const [kind, { port: inside, isDatagram }] of kinds) {
      const status = all.find(({ protocol }) => protocol === kind);
      if (status?.state !== 'running' || status.url === undefined)
        throw new BacklotError(
          'not_enabled',
          status === undefined
            ? `the Backlot of the container has no ${kind}; it has ${all.map(({ protocol }) => protocol).join(', ')}`
            : `${kind} does not run in the container: ${status.error ?? status.state}`,
        );
      if (status.transport === (isDatagram ? 'stream' : 'datagram'))
        throw new BacklotError(
          'invalid',
          `${kind} speaks ${isDatagram ? 'TCP: name it by withProtocols' : 'UDP: name it by withDatagramProtocols'}`,
        );
      const port = started.getMappedPort(inside, isDatagram ? 'udp' : 'tcp');
      places[kind] = { url: readdress(status.url, inside, `${bracketed(host)}:${port}`), port };
    }
    return new StartedBacklotContainer<Kinds>(started, url, places as Record<Kinds, Required<Place>>, token);
  }

  /** Environment variables by which the client and the command find it: `BACKLOT_URL`, `BACKLOT_API_TOKEN`. */
  get env(): Readonly<Record<string, string>> {
    return {
      BACKLOT_URL: this.managementUrl,
      ...(this.#token !== undefined && { BACKLOT_API_TOKEN: this.#token }),
    };
  }

  /** The server in the container, with the members that a Backlot in the same process has. */
  client<const P extends readonly ProtocolName[] = readonly []>(
    options: Omit<ConnectOptions<P>, Reached> = {},
  ): Promise<RemoteBacklot<P>> {
    return connect<P>({ ...options, ...this.#reached() });
  }

  /**
   * A space of the server: a world of one's own. Ports of its own could not be reached, so it is reached on the shared ports, by its
   * `headers` or its name.
   */
  space(options: Omit<SpaceOptions, Reached | 'protocols'> = {}): Promise<SpaceClient> {
    return createSpace({ ...options, ...this.#reached() });
  }

  #reached(): Pick<ConnectOptions, Reached> {
    const entries = Object.entries<string>(this.urls);
    return {
      url: this.managementUrl,
      ...(this.#token !== undefined && { token: this.#token }),
      places: Object.fromEntries(
        entries.map(([kind, url]) => [kind, { url, port: this.ports[kind as Kinds] }]),
      ),
    };
  }
}

/** A url with another host and port: what else stands in it stays. */
function readdress(url: string, port: number, address: string): string {
  return url.replace(new RegExp(`(?:\\[[^\\]]*\\]|[^/@:\\s]+):${port}(?!\\d)`), address);
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

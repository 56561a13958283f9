/** What documents, the configuration and the command show of a kind. */
export interface ProtocolMeta {
  /** The name as people write it: `Redis`. */
  readonly title: string;
  /** One sentence that says what the kind is. */
  readonly summary: string;
  /** Whether clients connect, send datagrams, or may do both. */
  readonly transport: 'stream' | 'datagram' | 'both';
  /** The port where it listens under the command when none is configured. */
  readonly defaultPort: number;
  /** The url by which clients connect, with `{host}` and `{port}` in it. */
  readonly url: string;
  /** The setting that has the path of the url, where it is given: it takes the place of the path that `url` has. */
  readonly urlPath?: string;
  /** The environment variable by which `backlot run` tells programs the url; `<KIND>_URL` when absent. */
  readonly urlVariable?: string;
  /**
   * Whether the listener can use TLS: then the configuration of the kind has a block `tls`. `starttls`: connections can
   * also be upgraded, and `tls.mode` chooses between the two.
   */
  readonly tls?: boolean | 'starttls';
  /**
   * What the listener hands over to kinds that share it: a name on which the plugins of both agree, such as one of kit.
   * Its service has `admit`.
   */
  readonly gives?: string;
  /**
   * What the kind can take of a listener that another kind has, in place of one of its own: the `gives` of that kind,
   * which the configuration names as `share` (declare it with `shareField`). Its service then has `guest`, and
   * is not started.
   */
  readonly takes?: string;
  /**
   * JSON pointers of the settings that are ports of listeners beside its own, with `*` for each element of a list: a space has
   * free ones in their place.
   */
  readonly furtherPorts?: readonly string[];
}

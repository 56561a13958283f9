import type { CollectionDeclaration, ItemSchemas } from './collections.js';
import type { Context } from './context.js';
import type { MockIndex } from './mock-index.js';
import type { Given, GivenFault, GivenItem, GivenMock, GivenSettings } from './given.js';
import type { CompiledMock } from './matcher.js';
import type { Message } from './message.js';
import type { CoreMock, TObject, TSchema, ValueOf } from './shape.js';
import type { Route } from './routes.js';
import type { CompileTools } from './tools.js';

/**
 * The number of the contract between core and plugins. It is raised when a change of the contract would break plugins
 * made for the present number, or when an older core would misunderstand plugins made for the new one.
 */
export const CONTRACT = 1;

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
  /** The environment variable by which `backlot run` tells programs the url; `<KIND>_URL` when absent. */
  readonly urlVariable?: string;
  /**
   * Whether the listener can use TLS: then the configuration of the kind has a block `tls`. `starttls`: connections can
   * also be upgraded, and `tls.mode` chooses between the two.
   */
  readonly tls?: boolean | 'starttls';
}

/** What the mocks of a kind are, and how they are found. */
export interface MocksDeclaration<
  Mock extends TObject,
  Compiled extends CompiledMock<M>,
  M extends Message,
  Index extends MockIndex<M, Compiled> = MockIndex<M, Compiled>,
  List extends string = string,
> {
  /** What one of them is called in messages: `mock`, `rule`, `mailbox`, `file`. */
  readonly noun: string;
  /** The configuration key of the list of mocks. */
  readonly configKey: List;
  /**
   * Further lists of mocks inside the configuration, as JSON pointers in which a step `*` stands for each element:
   * `/services/*\/mocks`. Mocks of equal priority rank behind those of `configKey`.
   */
  readonly furtherLists?: readonly string[];
  /**
   * `first`: the first match in rank order answers. `all`: every match answers, in rank order. `items`: nothing is
   * matched; the protocol reads `context.mocks.values()`.
   */
  readonly mode: 'first' | 'all' | 'items';
  /** The schema of the kind's own fields of a mock; core adds those of all kinds. */
  readonly schema: Mock;
  /** Example mocks, shown by the docs, OpenAPI and `backlot init`; each must be valid. */
  readonly examples: readonly (ValueOf<Mock> & { readonly id?: string })[];
  /**
   * Compiles one mock in effect. It is called when the mock, or a scenario that patches it, changes; never for a
   * message.
   *
   * @param tools - compile patterns and templates with these: they note what is wrong, and core then refuses the mock
   * @param index - the kind's own index in this host: what `checkConfig` has kept there is at hand, for mocks whose
   * meaning depends on the configuration
   */
  compile(mock: CoreMock & ValueOf<Mock>, tools: CompileTools, index: Index): Compiled;
  /** The index keys whose mocks may match the message; `['*']` when absent. */
  keys?(message: M): readonly string[];
  /** Makes the kind's own index, in place of `keys`; called once per host. */
  index?(): Index;
  /**
   * Whether it is normal that no mock matches, as for brokers and stores: then near misses are left out. Default false.
   */
  readonly quietWhenUnmatched?: boolean;
  /**
   * Which fields of a mock the fields `status`, `headers` and `body` of a scenario patch replace, as JSON pointers. A
   * step `*` stands for each element of a list that is there; objects on the way that are missing are made.
   */
  readonly patchTargets?: {
    readonly status?: readonly string[];
    readonly headers?: readonly string[];
    readonly body?: readonly string[];
  };
  /** What `PATCH /api/mocks/<kind>/<id>` takes; without it there is no such route. */
  readonly patch?: {
    readonly schema: TObject;
    /** Gives the patched mock, which core then validates; must not change its arguments. */
    apply(mock: CoreMock & ValueOf<Mock>, patch: Readonly<Record<string, unknown>>): unknown;
  };
  /**
   * Makes a message of the body of `POST /api/explain/<kind>`. When absent, the body has the form of a journal entry.
   */
  explain?(entry: Readonly<Record<string, unknown>>): M;
}

/** The faults of a kind. */
export interface FaultDeclaration<Fault extends TObject> {
  /** The schema of the kind's own fields of a fault, all optional; core adds those of all kinds. */
  readonly schema: Fault;
  /** The values of own fields that a fault does not give. */
  readonly default: ValueOf<Fault>;
  /** Checks what a schema cannot. @throws BacklotError `invalid` for a fault that is not valid */
  check?(fault: ValueOf<Fault>): void;
}

/** The messages that a kind captures: stores, so that people can read them. */
export interface CaptureDeclaration<Capture extends TObject> {
  /** The schema of a captured message as it is shown; it has an `id`. */
  readonly schema: Capture;
  /** The path of the routes; `/api/<kind>/messages` when absent. */
  readonly path?: string;
  /** How many messages are stored, 10,000 when absent; the oldest are dropped beyond that. */
  readonly limit?: number;
  /** The kind's own configuration key that sets another `limit`. */
  readonly limitKey?: string;
  /**
   * How many bytes they may hold together, as told to `context.captures.add`; 256 MiB when absent. A single message may
   * hold more.
   */
  readonly bytes?: number;
  /** The kind's own configuration key that sets another number of `bytes`. */
  readonly bytesKey?: string;
}

/** The open streaming answers of a kind. */
export interface StreamsDeclaration<Stream extends TSchema> {
  /** The schema of `data` in `POST /api/streams/push`. */
  readonly data: Stream;
}

/** Where a server listens, or is asked to listen. */
export interface ListenAddress {
  /** A host name or an IP literal; `localhost` means 127.0.0.1 and, where the machine has it, ::1. */
  readonly host: string;
  /** 1 to 65535; 0, where an address is asked for, stands for any free port. */
  readonly port: number;
}

/** The running server of a kind, which a protocol's `create` makes. */
export interface Service {
  /**
   * Starts listening. When the default port of the kind is in use and neither a configuration, a flag nor an embedder
   * has chosen it, core calls this once more with 0.
   *
   * @param port - the port to listen on; 0 takes a free one
   * @returns where it listens
   * @throws BacklotError `port_in_use` when the port is taken; no listener is left behind
   */
  start(port: number): Promise<ListenAddress>;
  /** Takes no more connections, lets answers that have begun end within the grace, and then closes what is left. */
  stop(graceMilliseconds: number): Promise<void>;
  /**
   * Called after core was reset or a snapshot was restored: ends open streams normally, and drops data of connections
   * that is not part of snapshots. Connections stay open.
   */
  reset?(): void;
  /** What `GET /api/protocols` shows of it. */
  status?(): ServiceStatus;
}

/** What a service reports for `GET /api/protocols`. */
export interface ServiceStatus {
  /** How many connections are open. */
  readonly connections?: number;
  /** Whether its listener uses TLS. */
  readonly tls?: boolean;
  /** Why its listener has failed after the start; absent while it listens. */
  readonly error?: string;
  /** Further fields to show, such as a path. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A kind's declaration. Routes, OpenAPI, the configuration's schema, flags and tables of the docs derive from it. */
export interface ProtocolDeclaration<
  Name extends string,
  Config extends TObject,
  Mock extends TObject,
  Compiled extends CompiledMock<M>,
  M extends Message,
  Fault extends TObject,
  Capture extends TObject,
  Stream extends TSchema,
  Items extends ItemSchemas,
  Running extends Service,
  Index extends MockIndex<M, Compiled>,
  List extends string,
> {
  /** The kind's name in paths, configuration and flags. */
  readonly kind: Name;
  readonly meta: ProtocolMeta;
  /**
   * The schema of the kind's own configuration keys; core adds `enabled`, `host`, `port`, `tls`, and the lists of mocks
   * and collections. A text with `format: 'path'` names a file; in a configuration file it is relative to that file's
   * folder.
   */
  readonly config: Config;
  readonly mocks: MocksDeclaration<Mock, Compiled, M, Index, List>;
  /** The second collections by name, which is their configuration key as well. */
  readonly collections?: { readonly [Key in keyof Items]: CollectionDeclaration<Items[Key]> };
  readonly fault?: FaultDeclaration<Fault>;
  readonly capture?: CaptureDeclaration<Capture>;
  readonly streams?: StreamsDeclaration<Stream>;
  /** Further routes of the management API, whose handlers are given the running service. */
  readonly routes?: readonly Route<Running>[];
  /**
   * Checks what the schema of the configuration cannot. It is called before the mocks are compiled.
   *
   * @param index - the kind's own index in this host, which may keep what `compile` needs of the configuration
   * @throws BacklotError `invalid` for a configuration that is not valid
   */
  checkConfig?(config: ValueOf<Config>, index: Index): void;
  /**
   * Makes the service, once per host and only when the kind is enabled. Load large modules here, not where the
   * declaration is.
   */
  create(
    context: Context<{
      config: Config;
      mock: Mock;
      compiled: Compiled;
      message: M;
      fault: Fault;
      capture: Capture;
      stream: Stream;
      collections: [Items] extends [never]
        ? never
        : { readonly [Key in keyof Items]: { readonly item: Items[Key]; readonly compiled: unknown } };
      index: Index;
    }>,
  ): Running | Promise<Running>;
}

/** The types of a declaration's values; `never` for what the kind does not have. */
export interface ProtocolTypes {
  /** The name of the kind. */
  readonly kind: string;
  /** The settings of the kind, with its lists of mocks and items. */
  readonly config: unknown;
  /** A mock as it is given. */
  readonly mock: unknown;
  /** A fault as it is given. */
  readonly fault: unknown;
  /** A captured message. */
  readonly capture: unknown;
  /** What is pushed into a stream. */
  readonly stream: unknown;
  /** The configuration key of the mocks. */
  readonly list: string;
  /** The items of second collections as they are given, by the name of their collection. */
  readonly items: unknown;
}

/** The declaration of any kind, as the host holds it. */
export interface Protocol<Types extends ProtocolTypes = ProtocolTypes> {
  readonly kind: Types['kind'];
  /** The {@link CONTRACT} that it was made for, set by `defineProtocol`; when absent, the present one. */
  readonly contract?: number;
  readonly meta: ProtocolMeta;
  readonly config: TObject;
  readonly mocks: MocksDeclaration<TObject, CompiledMock<Message>, Message>;
  readonly collections?: Readonly<Record<string, CollectionDeclaration>>;
  readonly fault?: FaultDeclaration<TObject>;
  readonly capture?: CaptureDeclaration<TObject>;
  readonly streams?: StreamsDeclaration<TSchema>;
  readonly routes?: readonly Route<Service>[];
  checkConfig?(config: unknown, index: unknown): void;
  create(context: unknown): Service | Promise<Service>;
  /**
   * Loads the whole declaration. Only a manifest has it: the data that stands for a kind that nobody uses, without its
   * schemas and code.
   */
  readonly load?: () => Promise<Protocol>;
  /** Never set: the member exists as a type only, by which embedders get the types of the kind. */
  readonly types?: Types;
}

/** The items of second collections as they are given. */
type ItemsOf<Items extends ItemSchemas> = [Items] extends [never]
  ? never
  : { readonly [Key in keyof Items]: GivenItem<ValueOf<Items[Key]>> };

/**
 * Declares a protocol. Types are inferred from the schemas and from `compile`; the context that `create` is given has
 * what is declared and nothing else.
 *
 * @throws TypeError when the kind is not lower case letters, digits and hyphens, or a collection has a `configKey` that
 * is not its name
 */
export function defineProtocol<
  const Name extends string,
  Config extends TObject,
  Mock extends TObject,
  Compiled extends CompiledMock<M>,
  M extends Message,
  Running extends Service,
  Fault extends TObject = never,
  Capture extends TObject = never,
  Stream extends TSchema = never,
  Items extends ItemSchemas = never,
  Index extends MockIndex<M, Compiled> = never,
  const List extends string = string,
>(
  declaration: ProtocolDeclaration<
    Name,
    Config,
    Mock,
    Compiled,
    M,
    Fault,
    Capture,
    Stream,
    Items,
    Running,
    Index,
    List
  >,
): Protocol<{
  kind: Name;
  config: GivenSettings<ValueOf<Config>, List, GivenMock<ValueOf<Mock>>, ItemsOf<Items>>;
  mock: GivenMock<ValueOf<Mock>>;
  fault: [Fault] extends [never] ? never : GivenFault<ValueOf<Fault>>;
  capture: [Capture] extends [never] ? never : Given<ValueOf<Capture>>;
  stream: [Stream] extends [never] ? never : Given<ValueOf<Stream>>;
  list: List;
  items: ItemsOf<Items>;
}> {
  if (!/^[a-z][a-z0-9-]*$/.test(declaration.kind)) {
    throw new TypeError(`protocol kind "${declaration.kind}" must be lower case letters, digits and hyphens`);
  }
  for (const [name, { configKey }] of Object.entries<CollectionDeclaration>(declaration.collections ?? {})) {
    if (configKey === name) continue;
    throw new TypeError(
      `collection "${name}" of ${declaration.kind} must have its own name as configKey, got "${configKey}"`,
    );
  }
  // The one place where the types are erased: the host treats every kind alike.
  return { ...declaration, contract: CONTRACT };
}

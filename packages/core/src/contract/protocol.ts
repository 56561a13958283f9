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
 * The number of the contract between core and plugins. It is raised when a plugin that was made for the one before no
 * longer works, or when core would not understand one that is made for this one.
 */
export const CONTRACT = 1;

/** What people see of a kind. */
export interface ProtocolMeta {
  /** The name as people write it: `Redis`. */
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  readonly transport: 'stream' | 'datagram' | 'both';
  readonly defaultPort: number;
  /** A connection url with `{host}` and `{port}`. */
  readonly url: string;
  /** The environment variable that `run` sets to the url; `<KIND>_URL` when absent. */
  readonly urlVariable?: string;
  /**
   * Whether the listener can speak TLS: then its configuration has `tls`. `starttls`: also by upgrading a connection,
   * and `tls.mode` chooses.
   */
  readonly tls?: boolean | 'starttls';
}

/** How a kind matches or reads its mocks. */
export interface MocksDeclaration<
  Mock extends TObject,
  Compiled extends CompiledMock<M>,
  M extends Message,
  Index extends MockIndex<M, Compiled> = MockIndex<M, Compiled>,
  List extends string = string,
> {
  /** One of them, for messages: `mock`, `rule`, `mailbox`, `file`. */
  readonly noun: string;
  /** The configuration key of the list. */
  readonly configKey: List;
  /**
   * Further lists of mocks inside the configuration, as JSON pointers in which a step `*` stands for each element:
   * `/services/*\/mocks`. They follow those of `configKey`.
   */
  readonly furtherLists?: readonly string[];
  /** `first`: the first match answers. `all`: every match answers, in order. `items`: the protocol reads them by itself. */
  readonly mode: 'first' | 'all' | 'items';
  /** The kind's own fields; core adds its own. */
  readonly schema: Mock;
  /** Example mocks for the docs and OpenAPI; each must be valid. */
  readonly examples: readonly (ValueOf<Mock> & { readonly id?: string })[];
  /**
   * Compiles one effective mock; called when mock, scenario or activation change, never per message.
   *
   * @param index - the kind's own index in this host, for what depends on more than the mock; it holds what
   * `checkConfig` put there
   */
  compile(mock: CoreMock & ValueOf<Mock>, tools: CompileTools, index: Index): Compiled;
  /** The index keys that can hold a match; `['*']` when absent. */
  keys?(message: M): readonly string[];
  /** The kind's own index in place of `keys`. */
  index?(): Index;
  /** Whether "no mock" is the normal case, so that near misses are left out. */
  readonly quietWhenUnmatched?: boolean;
  /**
   * Where the short fields of a scenario patch land in a mock, as JSON pointers. A step `*` stands for each element of
   * a list that is there; other steps are made when they are missing.
   */
  readonly patchTargets?: {
    readonly status?: readonly string[];
    readonly headers?: readonly string[];
    readonly body?: readonly string[];
  };
  /** What PATCH takes; absent: no PATCH route. */
  readonly patch?: {
    readonly schema: TObject;
    /** Makes the patched mock; must not change its arguments. */
    apply(mock: CoreMock & ValueOf<Mock>, patch: Readonly<Record<string, unknown>>): unknown;
  };
  /** Makes a message of what `POST /api/explain/<kind>` is given; a journal entry's form when absent. */
  explain?(entry: Readonly<Record<string, unknown>>): M;
}

/** The faults of a kind. */
export interface FaultDeclaration<Fault extends TObject> {
  /** The kind's own fields, all optional; core adds its own. */
  readonly schema: Fault;
  /** What fires for own fields that are not given. */
  readonly default: ValueOf<Fault>;
  /** Checks what a schema cannot; throws BacklotError `invalid`. */
  check?(fault: ValueOf<Fault>): void;
}

/** What a kind stores of its traffic. */
export interface CaptureDeclaration<Capture extends TObject> {
  readonly schema: Capture;
  /** `/api/<kind>/messages` when absent. */
  readonly path?: string;
  /** How many are kept; a configuration key may override it through `limit`. */
  readonly limit?: number;
  /** The configuration key that holds the limit. */
  readonly limitKey?: string;
  /** The bytes that they may hold together, by what `add` was told of each; 256 MiB when absent. */
  readonly bytes?: number;
  /** The configuration key that holds the bytes. */
  readonly bytesKey?: string;
}

/** The open streaming answers of a kind. */
export interface StreamsDeclaration<Stream extends TSchema> {
  /** What `POST /api/streams/push` takes as `data`. */
  readonly data: Stream;
}

/** Where a server listens, or is asked to listen. */
export interface ListenAddress {
  /** A host name or an IP literal; `localhost` means 127.0.0.1 and, where the machine has it, ::1. */
  readonly host: string;
  /** 1 to 65535; asked for as 0 it means a free one. */
  readonly port: number;
}

/** What runs of a protocol in a host: its listeners, and what it holds. `create` makes it. */
export interface Service {
  /**
   * Starts listening. When the port was nobody's choice and is taken, it is called once more with 0.
   *
   * @param port - where to listen, in place of the configured port; 0 takes a free one
   * @throws BacklotError `port_in_use` when the port is taken; no listener is left behind
   */
  start(port: number): Promise<ListenAddress>;
  /** Stops accepting, lets started answers end within the grace, then closes what is left. */
  stop(graceMilliseconds: number): Promise<void>;
  /** After core has been reset: ends open streams normally and drops what belongs to connections and is no part of snapshots. */
  reset?(): void;
  status?(): ServiceStatus;
}

/** What a service reports for `/api/protocols`. */
export interface ServiceStatus {
  readonly connections?: number;
  readonly tls?: boolean;
  /** Set when a listener died after it had started. */
  readonly error?: string;
  /** Further fields, such as a path. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A kind's declaration. Everything people see of a protocol derives from it. */
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
   * The kind's own configuration keys; core adds `enabled`, `host`, `port`, `tls`, the mocks and collections. A text
   * with `format: 'path'` names a file: in a configuration file it is read from that file's folder.
   */
  readonly config: Config;
  readonly mocks: MocksDeclaration<Mock, Compiled, M, Index, List>;
  /** By name, which is the configuration key as well. */
  readonly collections?: { readonly [Key in keyof Items]: CollectionDeclaration<Items[Key]> };
  readonly fault?: FaultDeclaration<Fault>;
  readonly capture?: CaptureDeclaration<Capture>;
  readonly streams?: StreamsDeclaration<Stream>;
  /** Further routes; their target is the running service. */
  readonly routes?: readonly Route<Running>[];
  /**
   * Checks what the schema of the configuration cannot; throws BacklotError `invalid`. Called before the mocks are
   * compiled.
   *
   * @param index - the kind's own index in this host, to keep what compiling mocks needs
   */
  checkConfig?(config: ValueOf<Config>, index: Index): void;
  /** Makes the service; may load heavy modules here, so that a kind that is not enabled costs nothing. */
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

/**
 * What a declaration says of its values, as types: what people write of the kind, with the fields that core adds; `never`
 * for what the kind does not have.
 */
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

/** A protocol as the host holds it: what {@link defineProtocol} makes. */
export interface Protocol<Types extends ProtocolTypes = ProtocolTypes> {
  readonly kind: Types['kind'];
  /** The {@link CONTRACT} it was made for, by `defineProtocol`; absent is this one. */
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
   * Loads the whole declaration. It is there in a manifest only: what stands for a kind that nobody uses, without its
   * schemas and code.
   */
  readonly load?: () => Promise<Protocol>;
  /** Never there: it carries the types from the declaration to who embeds the kind. */
  readonly types?: Types;
}

/** The items of second collections as they are given. */
type ItemsOf<Items extends ItemSchemas> = [Items] extends [never]
  ? never
  : { readonly [Key in keyof Items]: GivenItem<ValueOf<Items[Key]>> };

/**
 * Declares a protocol. Types are inferred from the schemas and from `compile`; what is not declared is absent from
 * the context that `create` is given.
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

import type { CommandDeclaration } from './commands.js';
import type { CaptureDeclaration } from './captures.js';
import type { ContractDeclaration } from './contracts.js';
import type { DataDeclaration, PublishDeclaration } from './data.js';
import type { ItemListDeclaration, ItemSchemas } from './item-lists.js';
import type { Context } from './context.js';
import type { MockIndex } from './mock-index.js';
import type { EmissionDeclaration } from './emission.js';
import type { ExportDeclaration } from './exports.js';
import type { ImportDeclaration } from './imports.js';
import type { IncidentDeclaration } from './incident.js';
import type { CompiledMock } from './matcher.js';
import type { Message } from './message.js';
import type { DeclaredProtocol } from './declared-protocol.js';
import type { MocksDeclaration } from './mocks-declaration.js';
import type { Service } from './service.js';
import type { TObject, TSchema, ValueOf } from './shape.js';
import type { Route } from './routes.js';
import type { RecordingDeclaration } from './upstream.js';
import type { ProtocolMeta } from './protocol-meta.js';

export type { ProtocolMeta };

/**
 * The number of the contract between core and plugins. It is raised when a change of the contract would break plugins
 * made for the present number, or when an older core would misunderstand plugins made for the new one.
 */
export const CONTRACT = 1;

/** The faults of a kind. */
export interface FaultDeclaration<Fault extends TObject> {
  /** The schema of the kind's own fields of a fault, all optional; core adds those of all kinds. */
  readonly schema: Fault;
  /** The values of own fields that a fault does not give. */
  readonly default: ValueOf<Fault>;
  /** Checks what a schema cannot. @throws BacklotError `invalid` for a fault that is not valid */
  check?(fault: ValueOf<Fault>): void;
  /**
   * Whether faults may have the phase `login`, since clients log in and the kind calls `rollForLogin` at each login.
   * `false` when absent.
   */
  readonly login?: boolean;
  /**
   * Own fields that say how things stand while the fault is in effect, and do nothing to a message: a fault that gives no
   * other fields, and no error rate, fires for none. The kind follows them by `faults.current` and `faults.onChange`.
   */
  readonly standing?: readonly string[];
}

/** The open streaming answers of a kind. */
export interface StreamsDeclaration<Stream extends TSchema> {
  /** The schema of `data` in `POST /api/streams/push`. */
  readonly data: Stream;
  /**
   * Whether each stream is a whole connection of a client: a reset, a restored snapshot and a stop then leave them to the
   * service. `false` when absent.
   */
  readonly areConnections?: boolean;
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
  Field extends string,
  Direct extends string,
  Short extends TObject = never,
> {
  /** The kind's name in paths, configuration and flags. */
  readonly kind: Name;
  readonly meta: ProtocolMeta;
  /**
   * The schema of the kind's own configuration keys; core adds `enabled`, `host`, `port`, `tls`, and the lists of mocks
   * and item lists. A text with `format: 'path'` names a file; in a configuration file it is relative to that file's
   * folder.
   */
  readonly config: Config;
  readonly mocks: MocksDeclaration<Mock, Compiled, M, Index, List, Field, Direct, Short>;
  /** The item lists by name, which is their configuration key as well. */
  readonly itemLists?: { readonly [Key in keyof Items]: ItemListDeclaration<Items[Key]> };
  readonly fault?: FaultDeclaration<Fault>;
  readonly capture?: CaptureDeclaration<Capture>;
  readonly streams?: StreamsDeclaration<Stream>;
  /** The data that its service holds, by the name of its section; the service has `data` with the same names. */
  readonly data?: Readonly<Record<string, DataDeclaration>>;
  /** How people send a message by its service, which has `publish` then. */
  readonly publish?: PublishDeclaration;
  /** What its service can be made to send or make, which has `emit` then. */
  readonly emits?: EmissionDeclaration;
  /** Trouble that its servers are known for, by name; the name of the kind stands before it: `redis-failover`. */
  readonly incidents?: Readonly<Record<string, IncidentDeclaration>>;
  /** How people send a message of the log again from a shell. */
  readonly command?: CommandDeclaration;
  /** Files of other tools that become mocks, settings and data of the kind. */
  readonly imports?: ImportDeclaration;
  /** Files of other tools that are made of what runs, or of what is in the log. */
  readonly exports?: ExportDeclaration;
  /** What it does with an upstream beyond passing bytes through, which every kind that kit serves can do. */
  readonly recording?: RecordingDeclaration;
  /** What its messages and mocks can be held to; its settings have `contract` then. */
  readonly contracts?: ContractDeclaration;
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
      itemLists: [Items] extends [never]
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
  /** The items of lists as they are given, by the name of their list. */
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
  readonly itemLists?: Readonly<Record<string, ItemListDeclaration>>;
  readonly fault?: FaultDeclaration<TObject>;
  readonly capture?: CaptureDeclaration<TObject>;
  readonly streams?: StreamsDeclaration<TSchema>;
  readonly data?: Readonly<Record<string, DataDeclaration>>;
  readonly publish?: PublishDeclaration;
  readonly emits?: EmissionDeclaration;
  readonly incidents?: Readonly<Record<string, IncidentDeclaration>>;
  readonly command?: CommandDeclaration;
  readonly imports?: ImportDeclaration;
  readonly exports?: ExportDeclaration;
  readonly recording?: RecordingDeclaration;
  readonly contracts?: ContractDeclaration;
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

/**
 * Declares a protocol. Types are inferred from the schemas and from `compile`; the context that `create` is given has
 * what is declared and nothing else.
 *
 * @throws TypeError when the kind is not lower case letters, digits and hyphens, or an item list has a `configKey` that
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
  const Field extends string = never,
  const Direct extends string = never,
  Short extends TObject = never,
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
    List,
    Field,
    Direct,
    Short
  >,
): DeclaredProtocol<Name, Config, Mock, Fault, Capture, Stream, Items, List, Field, Direct, Short> {
  if (!/^[a-z][a-z0-9-]*$/.test(declaration.kind)) {
    throw new TypeError(`protocol kind "${declaration.kind}" must be lower case letters, digits and hyphens`);
  }
  for (const [name, { configKey }] of Object.entries<ItemListDeclaration>(declaration.itemLists ?? {})) {
    if (configKey === name) continue;
    throw new TypeError(
      `item list "${name}" of ${declaration.kind} must have its own name as configKey, got "${configKey}"`,
    );
  }
  // The one place where the types are erased: the host treats every kind alike.
  return { ...declaration, contract: CONTRACT };
}

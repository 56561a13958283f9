import { Type } from '@sinclair/typebox';
import type { ItemListDeclaration } from '../contract/item-lists.js';
import type { DataDeclaration } from '../contract/data.js';
import type { CaptureDeclaration } from '../contract/captures.js';
import type { Protocol, ProtocolMeta } from '../contract/protocol.js';
import type { PagesDeclaration, RouteAnswer } from '../contract/routes.js';
import type { TObject } from '../contract/schema.js';

/** What people see of a kind that nobody uses, as plain JSON: enough for lists, routes and flags. */
export interface ProtocolManifest {
  readonly kind: string;
  readonly meta: ProtocolMeta;
  readonly mocks: {
    readonly noun: string;
    readonly configKey: string;
    readonly mode: 'first' | 'all' | 'items';
    /** Whether there is a PATCH route. */
    readonly patch: boolean;
  };
  readonly fault: boolean;
  readonly streams: boolean;
  /** Captured messages: where they are, when not in the usual place, and what they can be filtered by. */
  readonly capture?: {
    readonly path?: string;
    readonly fields: readonly string[];
    readonly timeField?: string;
    readonly attachments?: true;
    /** The field with HTML, where messages have such. */
    readonly html?: string;
  };
  /** Data by section, with the fields of its entries. */
  readonly data?: Readonly<
    Record<
      string,
      Omit<DataDeclaration, 'schema' | 'put'> & { readonly fields: readonly string[]; readonly put?: true }
    >
  >;
  /** What is published, in one sentence. */
  readonly publish?: string;
  /** Its incidents by name. */
  readonly incidents?: Readonly<
    Record<string, { readonly summary: string; readonly advice: string; readonly lasts: string }>
  >;
  /** What it can be made to send, in one sentence. */
  readonly emits?: string;
  /** The titles of the formats that it imports, by their short names. */
  readonly imports?: Readonly<Record<string, string>>;
  /** The titles of the formats that it can write, by their short names. */
  readonly exports?: Readonly<Record<string, string>>;
  readonly itemLists: Readonly<Record<string, Omit<ItemListDeclaration, 'schema' | 'compile'>>>;
  readonly routes: readonly {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly name: string;
    readonly tag: string;
    readonly summary: string;
    readonly whenNotEnabled?: RouteAnswer;
    readonly pages?: PagesDeclaration;
  }[];
}

/** The manifest of a declaration. */
export function manifestOf(protocol: Protocol): ProtocolManifest {
  const { kind, meta, mocks, fault, streams, capture, data, publish, emits, itemLists, routes } = protocol;
  const { incidents, imports, exports } = protocol;
  const { noun, configKey, mode, patch } = mocks;
  return {
    kind,
    meta,
    mocks: { noun, configKey, mode, patch: patch !== undefined },
    fault: fault !== undefined,
    streams: streams !== undefined,
    ...(capture === undefined ? {} : { capture: captureManifest(capture) }),
    ...(data === undefined ? {} : { data: mapValues(data, sectionManifest) }),
    ...(publish === undefined ? {} : { publish: publish.summary }),
    ...(emits === undefined ? {} : { emits: emits.summary }),
    ...(imports === undefined ? {} : { imports: imports.formats }),
    ...(exports === undefined ? {} : { exports: exports.formats }),
    ...(incidents === undefined
      ? {}
      : {
          incidents: mapValues(incidents, ({ summary, advice, lasts }) => ({ summary, advice, lasts })),
        }),
    itemLists: Object.fromEntries(
      Object.entries(itemLists ?? {}).map(([name, itemList]) => {
        const seen = Object.entries(itemList).filter(([key]) => key !== 'schema' && key !== 'compile');
        return [name, Object.fromEntries(seen) as ProtocolManifest['itemLists'][string]];
      }),
    ),
    routes: (routes ?? []).map(({ method, path, name, tag, summary, whenNotEnabled, pages }) => ({
      method,
      path,
      name,
      tag,
      summary,
      ...(whenNotEnabled === undefined ? {} : { whenNotEnabled }),
      ...(pages === undefined ? {} : { pages }),
    })),
  };
}

function captureManifest(capture: CaptureDeclaration<TObject>): NonNullable<ProtocolManifest['capture']> {
  const { path, schema, timeField } = capture;
  return {
    ...(path === undefined ? {} : { path }),
    fields: Object.keys(schema.properties),
    ...(timeField === undefined ? {} : { timeField }),
    ...(capture.attachment === undefined ? {} : { attachments: true }),
    ...(capture.view?.html === undefined ? {} : { html: capture.view.html }),
  };
}

function sectionManifest({ schema, put, ...rest }: DataDeclaration): SectionManifest {
  return { ...rest, fields: Object.keys(schema.properties), ...(put === undefined ? {} : { put: true }) };
}

type SectionManifest = NonNullable<ProtocolManifest['data']>[string];

const NOTHING = Type.Object({}, { additionalProperties: false });

/**
 * A protocol that can be listed, and not enabled: what a host is given for a kind that is installed and not used.
 *
 * @param load - loads the whole declaration, for the interface's description and for checking what is said of the kind
 */
export function protocolFromManifest(manifest: ProtocolManifest, load: () => Promise<Protocol>): Protocol {
  const { kind, meta, mocks, fault, streams, capture, data, publish, emits, itemLists, routes } = manifest;
  const { incidents, imports, exports } = manifest;
  const refuse = (): never => {
    throw new TypeError(`${kind} is only a manifest; load the protocol before it is used`);
  };
  return {
    kind,
    meta,
    config: NOTHING,
    mocks: {
      ...mocks,
      schema: NOTHING,
      examples: [],
      compile: refuse,
      patch: mocks.patch ? { schema: NOTHING, apply: refuse } : undefined,
    } as Protocol['mocks'],
    itemLists: Object.fromEntries(
      Object.entries(itemLists).map(([name, itemList]) => [name, { ...itemList, schema: NOTHING }]),
    ),
    ...(fault ? { fault: { schema: NOTHING, default: {} } } : {}),
    ...(streams ? { streams: { data: NOTHING } } : {}),
    ...(capture === undefined ? {} : { capture: captureFromManifest(capture) }),
    ...(data === undefined ? {} : { data: mapValues(data, sectionFromManifest) }),
    ...(publish === undefined
      ? {}
      : { publish: { summary: publish, schema: NOTHING, examples: [], result: NOTHING } }),
    ...(emits === undefined ? {} : { emits: { summary: emits, schema: NOTHING, examples: [] } }),
    ...(imports === undefined
      ? {}
      : { imports: { formats: imports, load: async () => (await (await load()).imports?.load()) ?? [] } }),
    ...(exports === undefined
      ? {}
      : { exports: { formats: exports, load: async () => (await (await load()).exports?.load()) ?? [] } }),
    ...(incidents === undefined
      ? {}
      : { incidents: mapValues(incidents, (incident) => ({ ...incident, stages: refuse })) }),
    routes: routes.map((route) => ({ ...route, responses: {}, handle: refuse })),
    create: refuse,
    load,
  };
}

function captureFromManifest({
  fields,
  attachments,
  html,
  ...rest
}: NonNullable<ProtocolManifest['capture']>): CaptureDeclaration<TObject> {
  return {
    ...rest,
    schema: withFields(fields),
    ...(attachments === true ? { attachment: () => undefined } : {}),
    ...(html === undefined ? {} : { view: { as: 'list', html } }),
  };
}

function sectionFromManifest({ fields, put, ...rest }: SectionManifest): DataDeclaration {
  return {
    ...rest,
    schema: withFields(fields),
    ...(put === undefined ? {} : { put: { schema: NOTHING, examples: [] } }),
  };
}

function withFields(fields: readonly string[]): TObject {
  const properties = Object.fromEntries(fields.map((name) => [name, Type.Unknown()]));
  return Type.Object(properties, { additionalProperties: false });
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

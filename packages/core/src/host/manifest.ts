import { Type } from '@sinclair/typebox';
import type { CollectionDeclaration } from '../contract/collections.js';
import type { Protocol, ProtocolMeta } from '../contract/protocol.js';
import type { PagesDeclaration, RouteAnswer } from '../contract/routes.js';

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
  /** Where captured messages are; `path` is absent for the usual place. */
  readonly capture?: { readonly path?: string };
  readonly collections: Readonly<Record<string, Omit<CollectionDeclaration, 'schema' | 'compile'>>>;
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
  const { kind, meta, mocks, fault, streams, capture, collections, routes } = protocol;
  const { noun, configKey, mode, patch } = mocks;
  return {
    kind,
    meta,
    mocks: { noun, configKey, mode, patch: patch !== undefined },
    fault: fault !== undefined,
    streams: streams !== undefined,
    ...(capture === undefined ? {} : { capture: capture.path === undefined ? {} : { path: capture.path } }),
    collections: Object.fromEntries(
      Object.entries(collections ?? {}).map(([name, collection]) => {
        const seen = Object.entries(collection).filter(([key]) => key !== 'schema' && key !== 'compile');
        return [name, Object.fromEntries(seen) as ProtocolManifest['collections'][string]];
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

const NOTHING = Type.Object({}, { additionalProperties: false });

/**
 * A protocol that can be listed, and not enabled: what a host is given for a kind that is installed and not used.
 *
 * @param load - loads the whole declaration, for the interface's description and for checking what is said of the kind
 */
export function protocolFromManifest(manifest: ProtocolManifest, load: () => Promise<Protocol>): Protocol {
  const { kind, meta, mocks, fault, streams, capture, collections, routes } = manifest;
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
    collections: Object.fromEntries(
      Object.entries(collections).map(([name, collection]) => [name, { ...collection, schema: NOTHING }]),
    ),
    ...(fault ? { fault: { schema: NOTHING, default: {} } } : {}),
    ...(streams ? { streams: { data: NOTHING } } : {}),
    ...(capture === undefined ? {} : { capture: { ...capture, schema: NOTHING } }),
    routes: routes.map((route) => ({ ...route, responses: {}, handle: refuse })),
    create: refuse,
    load,
  };
}

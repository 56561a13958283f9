import { createValidator, type Problem } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { basename, dirname } from 'node:path';
import { pointTo } from '../config/pointer.js';
import { ConfigError } from '../config/problem.js';
import { dottedPath, placeOf, readSource, valueOf, type ConfigSource } from '../config/source.js';

type Tree = Readonly<Record<string, unknown>>;

const closed = { additionalProperties: false } as const;

/** What a `service.yaml` says of the service, beside the parts of an ordinary configuration. */
const HeaderSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9-]*$', maxLength: 60 }),
    title: Type.String({ minLength: 1, maxLength: 200 }),
    summary: Type.String({ minLength: 1, maxLength: 1000 }),
    path: Type.String({ pattern: '^(/[^/?#*{}]+)+$' }),
    hosts: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    decode: Type.Optional(Type.Union([Type.Boolean(), Type.Array(Type.String())])),
    variables: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String()),
    ),
    unknown: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    auth: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);

const DefinitionSchema = Type.Object(
  {
    service: HeaderSchema,
    vars: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    keys: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    state: Type.Optional(Type.Record(Type.String(), Type.String())),
    collections: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    protocols: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()))),
    scenarios: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  },
  closed,
);

/** See {@link HeaderSchema}. */
export interface ServiceHeader {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly path: string;
  readonly hosts?: readonly string[];
  readonly port?: number;
  readonly decode?: boolean | readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly unknown?: Tree;
  /** Credentials that a request must carry before it is told that its path is unknown. */
  readonly auth?: Tree;
}

/** The parts of an ordinary configuration that a `service.yaml` may have. */
interface ServiceParts {
  readonly vars?: Tree;
  readonly keys?: Tree;
  readonly state?: Readonly<Record<string, string>>;
  readonly collections?: Tree;
  readonly protocols?: Readonly<Record<string, Tree>>;
  readonly scenarios?: readonly Tree[];
}

/** A service as its `service.yaml` has it. */
export interface ServiceDefinition extends ServiceParts {
  readonly header: ServiceHeader;
  /** The folder of the file, where paths of bodies and modules start. */
  readonly folder: string;
  readonly source: ConfigSource;
}

/** The value of the file. */
type Whole = ServiceParts & { readonly service: ServiceHeader };

/** What belongs to a service is named after it, so that services do not meet. */
const PREFIXED = ['keys', 'collections', 'state'] as const;

/**
 * Reads a `service.yaml`. What its mocks, collections and scenarios hold is checked with the configuration that uses them.
 *
 * @param isTested - whether it comes with the app, whose tests have checked its form
 * @throws ConfigError with every problem of its own
 */
export function readDefinition(file: string, isTested = false): ServiceDefinition {
  const source = readSource(basename(file), dirname(file));
  const value = valueOf(source);
  const problems = isTested ? [] : [...createValidator(DefinitionSchema).check(value)];
  if (!isTested && problems.length === 0) problems.push(...findForeign(value as Whole));
  if (problems.length > 0) {
    throw new ConfigError(
      file,
      problems.map(({ path, message }) => ({
        place: placeOf(source, path),
        path: dottedPath(source, path),
        message,
      })),
    );
  }
  const { service, ...parts } = value as Whole;
  return { ...parts, header: service, folder: source.folder, source };
}

/** Names and paths that another service could have as well. */
function* findForeign(value: Whole): Generator<Problem> {
  const { name, path } = value.service;
  const begin = `${name}:`;
  for (const part of PREFIXED) {
    for (const key of Object.keys(value[part] ?? {}))
      if (!key.startsWith(begin)) yield { path: pointTo(`/${part}`, key), message: mustBegin(key, begin) };
  }
  for (const key of Object.keys(value.vars ?? {})) {
    if (key === name) continue;
    yield {
      path: pointTo('/vars', key),
      message: `"${key}" may be meant by other services too; put all vars of the service under "${name}"`,
    };
  }
  for (const [index, { id }] of (value.scenarios ?? []).entries())
    yield* checkId(id, `/scenarios/${index}`, begin);
  for (const { kind, list, index, mock } of mocksOf(value)) {
    const at = `${pointTo(pointTo('/protocols', kind), list)}/${index}`;
    yield* checkId(mock['id'], at, begin);
    for (const { at: inner, path: own } of pathsOf(mock))
      if (own !== path && !own.startsWith(`${path}/`))
        yield { path: at + inner, message: `path "${own}" is not below "${path}", the path of the service` };
  }
}

function* checkId(id: unknown, at: string, begin: string): Generator<Problem> {
  if (typeof id !== 'string') yield { path: `${at}/id`, message: `"id" is required, such as "${begin}list"` };
  else if (!id.startsWith(begin)) yield { path: `${at}/id`, message: mustBegin(id, begin) };
}

function mustBegin(text: string, begin: string): string {
  return `"${text}" must begin with "${begin}", so that services do not meet`;
}

/** An entry of a list of a protocol's block. */
interface Listed {
  readonly kind: string;
  readonly list: string;
  readonly index: number;
  readonly mock: Tree;
}

/** The mocks of a service: what its blocks have in lists. */
export function* mocksOf({ protocols = {} }: Pick<ServiceDefinition, 'protocols'>): Generator<Listed> {
  for (const [kind, block] of Object.entries(protocols)) {
    for (const [list, items] of Object.entries(block)) {
      if (!Array.isArray(items)) continue;
      for (const [index, mock] of items.entries()) if (isObject(mock)) yield { kind, list, index, mock };
    }
  }
}

/** The paths that a mock of HTTP or an entry of a resource is for. */
export function* pathsOf(mock: Tree): Generator<{ readonly at: string; readonly path: string }> {
  const { request, resource } = mock;
  for (const [at, value] of [
    ['/request/path', isObject(request) ? request['path'] : undefined],
    ['/resource/path', isObject(resource) ? resource['path'] : undefined],
  ] as const)
    if (typeof value === 'string' && value.startsWith('/')) yield { at, path: value };
}

function isObject(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

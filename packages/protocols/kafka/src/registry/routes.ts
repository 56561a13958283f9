import { readGivenSchema } from './given-schema.js';
import { REGISTRY_ERRORS } from './registry-error.js';
import type { Registered, Version } from './registry-store.js';
import { RawText, type RegistryHandler, type RegistryRequest, type RegistryRoute } from './registry-route.js';
import type { Registry } from './registry.js';
import { SCHEMA_TYPES } from './schema-format.js';
import { SETTING_ROUTES } from './setting-routes.js';

const isOn = (query: URLSearchParams, name: string): boolean => query.get(name) === 'true';

/** A version as a path names it. */
function readVersion(text: string): number | 'latest' {
  if (text === 'latest' || text === '-1') return 'latest';
  const version = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (version < 1 || version > 2 ** 31 - 1) throw REGISTRY_ERRORS.invalidVersion(text);
  return version;
}

function findVersion({ path, query }: RegistryRequest, { store }: Registry): Version {
  const { subject = '', version = '' } = path;
  const wanted = readVersion(version);
  const hasDeleted = isOn(query, 'deleted');
  if (store.versions(subject, hasDeleted).length === 0) throw REGISTRY_ERRORS.subjectNotFound(subject);
  const found = store.find(subject, wanted, hasDeleted);
  if (found === undefined) throw REGISTRY_ERRORS.versionNotFound(version);
  return found;
}

function findSchema({ path }: RegistryRequest, { store }: Registry): Registered {
  const { id = '' } = path;
  const schema = /^\d{1,10}$/.test(id) ? store.schema(Number(id)) : undefined;
  if (schema === undefined)
    throw REGISTRY_ERRORS.schemaNotFound(/^\d{1,10}$/.test(id) ? Number(id) : undefined);
  return schema;
}

/** A schema as answers show it: Avro is meant where no type is said. */
function showSchema({ type, references, parsed }: Registered) {
  return {
    ...(type === 'AVRO' ? {} : { schemaType: type }),
    ...(references.length === 0 ? {} : { references }),
    schema: parsed.text,
  };
}

function showVersion({ subject, version, schema }: Version) {
  return { subject, version, id: schema.id, ...showSchema(schema) };
}

function usersOf({ store }: Registry, schema: Registered, hasDeleted: boolean): readonly Version[] {
  return [...store.all()].filter((each) => each.schema === schema && (hasDeleted || !each.isDeleted));
}

const testCompatibility: RegistryHandler = async (request, registry) => {
  const { subject = '', version } = request.path;
  const given = readGivenSchema(request.body);
  const versions =
    version === undefined ? registry.store.versions(subject, false) : [findVersion(request, registry)];
  const parsed = await registry.parse(given);
  const messages = await registry.incompatibilities(subject, given, parsed, versions);
  const verbose = isOn(request.query, 'verbose') && messages.length > 0 ? { messages } : {};
  return { is_compatible: messages.length === 0, ...verbose };
};

/** What the registry answers (Confluent's Schema Registry API reference). */
export const REGISTRY_ROUTES: readonly RegistryRoute[] = [
  ['GET', '/', () => ({})],
  ['GET', '/schemas/types', () => SCHEMA_TYPES.toReversed()],
  ['GET', '/schemas/ids/{id}', (request, registry) => showSchema(findSchema(request, registry))],
  [
    'GET',
    '/schemas/ids/{id}/schema',
    (request, registry) => new RawText(findSchema(request, registry).parsed.text),
  ],
  [
    'GET',
    '/schemas/ids/{id}/subjects',
    (request, registry) => {
      const users = usersOf(registry, findSchema(request, registry), isOn(request.query, 'deleted'));
      return [...new Set(users.map(({ subject }) => subject))];
    },
  ],
  [
    'GET',
    '/schemas/ids/{id}/versions',
    (request, registry) =>
      usersOf(registry, findSchema(request, registry), isOn(request.query, 'deleted')).map(
        ({ subject, version }) => ({ subject, version }),
      ),
  ],
  [
    'GET',
    '/schemas',
    ({ query }, { store }) => {
      const prefix = query.get('subjectPrefix') ?? '';
      const subjects = store.subjects(isOn(query, 'deleted')).filter((subject) => subject.startsWith(prefix));
      return subjects.flatMap((subject) => {
        const versions = store.versions(subject, isOn(query, 'deleted'));
        return (isOn(query, 'latestOnly') ? versions.slice(-1) : versions).map(showVersion);
      });
    },
  ],
  [
    'GET',
    '/subjects',
    ({ query }, { store }) => {
      const prefix = query.get('subjectPrefix') ?? '';
      return store.subjects(isOn(query, 'deleted')).filter((subject) => subject.startsWith(prefix));
    },
  ],
  [
    'POST',
    '/subjects/{subject}',
    async ({ path: { subject = '' }, query, body }, registry) =>
      showVersion(await registry.lookUp(subject, readGivenSchema(body), isOn(query, 'deleted'))),
  ],
  [
    'DELETE',
    '/subjects/{subject}',
    ({ path: { subject = '' }, query }, registry) =>
      registry.deleteSubject(subject, isOn(query, 'permanent')),
  ],
  [
    'GET',
    '/subjects/{subject}/versions',
    ({ path: { subject = '' }, query }, { store }) => {
      const versions = store.versions(subject, isOn(query, 'deleted'));
      if (versions.length === 0) throw REGISTRY_ERRORS.subjectNotFound(subject);
      return versions.map(({ version }) => version);
    },
  ],
  [
    'POST',
    '/subjects/{subject}/versions',
    async ({ path: { subject = '' }, body }, registry) => ({
      id: (await registry.register(subject, readGivenSchema(body))).id,
    }),
  ],
  [
    'GET',
    '/subjects/{subject}/versions/{version}',
    (request, registry) => showVersion(findVersion(request, registry)),
  ],
  [
    'GET',
    '/subjects/{subject}/versions/{version}/schema',
    (request, registry) => new RawText(findVersion(request, registry).schema.parsed.text),
  ],
  [
    'GET',
    '/subjects/{subject}/versions/{version}/referencedby',
    (request, registry) => {
      const { subject, version } = findVersion(request, registry);
      return registry.referrersOf(subject, version);
    },
  ],
  [
    'DELETE',
    '/subjects/{subject}/versions/{version}',
    ({ path: { subject = '', version = '' }, query }, registry) =>
      registry.deleteVersion(subject, readVersion(version), isOn(query, 'permanent')),
  ],
  ['POST', '/compatibility/subjects/{subject}/versions', testCompatibility],
  ['POST', '/compatibility/subjects/{subject}/versions/{version}', testCompatibility],
  ...SETTING_ROUTES,
];

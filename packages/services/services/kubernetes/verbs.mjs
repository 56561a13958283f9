import { isDeepStrictEqual } from 'node:util';
import { bodyOf, isTrue } from './body.mjs';
import { applyFields, noteChange } from './fields.mjs';
import { collect, endNamespaceOf } from './garbage.mjs';
import { jsonPatch, mergePatch, strategicPatch, isObject } from './patch.mjs';
import { apiVersionOf } from './resources.mjs';
import { fieldSelector, labelSelector } from './selectors.mjs';
import { complete, settle } from './settle.mjs';
import {
  badRequest,
  conflict,
  forbidden,
  invalid,
  nameOf,
  notFound,
  Refusal,
  success,
  unsupported,
} from './status.mjs';
import { shaped } from './shape.mjs';
import { causesOf, fitSchema } from './validate.mjs';

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

const hasStatus = ({ subresources }) => subresources.includes('status');

/** Who changes an object: what the client calls itself. */
function managerOf({ request, query, store, sub }, operation) {
  const agent = String(request.headers['user-agent'] ?? '').split('/')[0];
  const name = query.fieldManager ?? (agent === '' ? 'unknown' : agent);
  return { name, operation, time: store.time, ...(sub === undefined ? {} : { subresource: sub }) };
}

const isDry = ({ query }) => query.dryRun === 'All';

export function checkNamespace({ store, resource, namespace }) {
  if (!resource.isNamespaced) return;
  const found = store.namespaceOf(namespace);
  if (found === undefined) throw notFound({ plural: 'namespaces', group: '' }, namespace);
}

/** An object of a request: its names and its kind are those of the address. */
function readObject(call, given) {
  const { resource, namespace, name } = call;
  if (!isObject(given) || (given.metadata !== undefined && !isObject(given.metadata)))
    throw badRequest('the body of the request must be an object with metadata');
  const body = shaped(given, resource);
  const { apiVersion = apiVersionOf(resource), kind = resource.kind } = body;
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource))
    throw badRequest(
      `${kind} in version "${apiVersion}" cannot be handled as a ${resource.kind}: the address is for ${resource.kind} in version "${apiVersionOf(resource)}"`,
    );
  const metadata = { ...body.metadata };
  if (resource.isNamespaced) {
    if (metadata.namespace !== undefined && metadata.namespace !== namespace)
      throw badRequest(
        `the namespace of the provided object does not match the namespace sent on the request (${metadata.namespace} is not ${namespace})`,
      );
    metadata.namespace = namespace;
  } else delete metadata.namespace;
  if (name !== undefined && metadata.name !== undefined && metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  if (name !== undefined) metadata.name = name;
  return { ...body, apiVersion, kind, metadata };
}

function check(resource, object, before) {
  const causes = causesOf(resource, object, before);
  if (causes.length > 0) throw invalid(resource, object.metadata.name ?? '', causes);
}

export async function create(call) {
  const { resource, store } = call;
  checkNamespace(call);
  return {
    status: 201,
    json: createObject(call, readObject(call, await bodyOf(call)), managerOf(call, 'Update')),
  };
}

function createObject(call, given, manager) {
  const { resource, store, namespace } = call;
  if (given.metadata.resourceVersion !== undefined && given.metadata.resourceVersion !== '')
    throw badRequest('resourceVersion should not be set on objects to be created');
  if (resource.isNamespaced && store.namespaceOf(namespace)?.status?.phase === 'Terminating')
    throw forbidden(
      resource,
      given.metadata.name ?? '',
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    );
  const { generateName } = given.metadata;
  const name =
    given.metadata.name ??
    (typeof generateName === 'string'
      ? `${generateName}${Array.from({ length: 5 }, () => LETTERS[store.random.int(0, LETTERS.length - 1)]).join('')}`
      : undefined);
  if (typeof name !== 'string' || name === '')
    throw invalid(resource, '', [
      {
        reason: 'FieldValueRequired',
        field: 'metadata.name',
        message: 'Required value: name or generateName is required',
      },
    ]);
  const { managedFields: _managed, deletionTimestamp: _deletion, ...own } = given.metadata;
  const metadata = { ...own, name, uid: store.random.uuid(), creationTimestamp: store.time, generation: 1 };
  const { status: _status, ...bare } = given;
  const fitted = fitSchema(resource.schema, { ...(hasStatus(resource) ? bare : given), metadata });
  check(resource, fitted);
  const whole = complete(resource, fitted);
  const object =
    manager.operation === 'Apply'
      ? ownedBy(whole, fitted, manager, resource)
      : noteChange(undefined, whole, manager, resource.isCustom);
  if (isDry(call)) {
    if (store.has(resource, namespace, name)) store.create(resource, object);
    return object;
  }
  const made = store.create(resource, object);
  return store.show(resource, settled(call, made));
}

/** A new object that somebody has applied: they have what they said, and nobody what the server has added. */
function ownedBy(whole, wanted, manager, resource) {
  const empty = { ...wanted, metadata: { name: wanted.metadata.name } };
  const bare = { apiVersion: empty.apiVersion, kind: empty.kind, metadata: empty.metadata };
  const { object } = applyFields(bare, wanted, manager, { force: true, isCustom: resource.isCustom });
  return { ...whole, metadata: { ...whole.metadata, managedFields: object.metadata.managedFields } };
}

/** Lets the server's own parts act on an object. @returns what the client is told: the object as it was put */
function settled({ resource, store, options }, object) {
  const change = settle(resource, object, store, options);
  if (change !== undefined) store.replace(resource, JSON.parse(JSON.stringify({ ...object, ...change })));
  return resource.plural === 'pods'
    ? object
    : store.get(resource, object.metadata.namespace, object.metadata.name);
}

export function get({ store, resource, namespace, name, sub }) {
  const object = store.get(resource, namespace, name);
  return { json: sub === 'scale' ? scaleOf(resource, object) : object };
}

/** The tests of the selectors of a call. */
export function selectorOf({ query, resource, name }) {
  const [byLabels, byFields] = [
    labelSelector(query.labelSelector),
    fieldSelector(query.fieldSelector, resource),
  ];
  return (object) =>
    byLabels(object.metadata.labels ?? {}) &&
    byFields(object) &&
    (name === undefined || object.metadata.name === name);
}

export function list(call) {
  const { store, resource, namespace, query } = call;
  const limit = Number(query.limit ?? 0);
  if (!Number.isInteger(limit) || limit < 0)
    throw badRequest(`limit must be a whole number, got ${query.limit}`);
  const at = query.continue === undefined ? undefined : readToken(query.continue);
  const revision = at?.revision ?? store.revision;
  const keyOf = ({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`;
  const found = store.list(resource, namespace, revision).filter(selectorOf(call));
  const left = at === undefined ? found : found.filter((object) => keyOf(object) > at.after);
  const items = limit === 0 ? left : left.slice(0, limit);
  const rest = left.length - items.length;
  const more =
    rest === 0
      ? {}
      : {
          continue: Buffer.from(JSON.stringify({ revision, after: keyOf(items.at(-1)) })).toString(
            'base64url',
          ),
          remainingItemCount: rest,
        };
  return {
    json: {
      kind: resource.listKind ?? `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision), ...more },
      items: resource.isCustom ? items : items.map(({ apiVersion: _apiVersion, kind: _kind, ...one }) => one),
    },
  };
}

function readToken(text) {
  try {
    const { revision, after } = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Number.isInteger(revision) && typeof after === 'string') return { revision, after };
  } catch {
    // It is refused below.
  }
  throw badRequest('continue key is not valid: it must be the one that a list has given');
}

/** Puts a changed object in place of the one that is there. */
function change(call, before, given, manager) {
  const { resource, store, sub, options } = call;
  const { name, uid } = before.metadata;
  const { resourceVersion: version } = given.metadata;
  if (options.conflicts === true) throw conflict(resource, name);
  if (version !== undefined && version !== '' && version !== before.metadata.resourceVersion)
    throw conflict(resource, name);
  if (given.metadata.uid !== undefined && given.metadata.uid !== uid)
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${given.metadata.uid}, UID in object meta: ${uid}`,
    );
  const fixed = Object.fromEntries(
    [
      'uid',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'generation',
      'resourceVersion',
    ]
      .filter((field) => before.metadata[field] !== undefined)
      .map((field) => [field, before.metadata[field]]),
  );
  const metadata = { ...given.metadata, ...fixed, managedFields: before.metadata.managedFields };
  if (before.metadata.managedFields === undefined) delete metadata.managedFields;
  let after;
  if (sub === 'status') {
    after = { ...before, status: given.status };
    if (given.status === undefined) delete after.status;
  } else if (hasStatus(resource)) {
    const { status: _status, ...rest } = given;
    after = { ...rest, metadata, ...(before.status === undefined ? {} : { status: before.status }) };
  } else after = { ...given, metadata };
  if (resource.plural === 'secrets' && resource.group === '') after = complete(resource, after);
  after = fitSchema(resource.schema, JSON.parse(JSON.stringify(after)));
  check(resource, after, before);
  const { status: _was, metadata: _before, ...was } = before;
  const { status: _is, metadata: _after, ...is } = after;
  if (sub !== 'status' && before.metadata.generation !== undefined && !isDeepStrictEqual(was, is))
    after = { ...after, metadata: { ...after.metadata, generation: before.metadata.generation + 1 } };
  if (manager.operation === 'Apply')
    after = { ...after, metadata: { ...after.metadata, managedFields: given.metadata.managedFields } };
  else after = noteChange(before, after, manager, resource.isCustom);
  if (isDry(call)) return after;
  return finish(call, store.replace(resource, after));
}

/** An object that waits for its last finalizer goes with it. */
function finish(call, object) {
  const { resource, store, sub } = call;
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp !== undefined && finalizers.length === 0) {
    store.remove(resource, object);
    collect(store, object, 'Background');
    endNamespaceOf(store, object);
    return object;
  }
  return store.show(resource, sub === 'status' ? object : settled(call, object));
}

export async function replace(call) {
  const { store, resource, namespace, name, sub } = call;
  const body = await bodyOf(call);
  const before = store.get(resource, namespace, name);
  if (sub === 'scale') return rescale(call, before, body?.spec?.replicas);
  return { json: change(call, before, readObject(call, body), managerOf(call, 'Update')) };
}

const PATCHES = {
  'application/json-patch+json': jsonPatch,
  'application/merge-patch+json': mergePatch,
  'application/strategic-merge-patch+json': strategicPatch,
};

export async function patch(call) {
  const { request, store, resource, namespace, name, sub } = call;
  const type = String(request.headers['content-type'] ?? '').split(';')[0];
  if (type === 'application/apply-patch+yaml' || type === 'application/apply-patch+cbor') return apply(call);
  const run = Object.hasOwn(PATCHES, type) ? PATCHES[type] : undefined;
  if (run === undefined || (run === strategicPatch && resource.isCustom)) throw unsupported(type);
  const body = await bodyOf(call);
  if (run !== jsonPatch && !isObject(body)) throw badRequest('the body of this patch must be an object');
  const before = store.get(resource, namespace, name);
  if (sub === 'scale') return rescale(call, before, run(scaleOf(resource, before), body).spec?.replicas);
  const given = run(before, body);
  const asksFor = given?.metadata?.resourceVersion;
  return {
    json: change(
      call,
      before,
      readObject(call, { ...given, metadata: { ...given?.metadata, resourceVersion: asksFor } }),
      managerOf(call, 'Update'),
    ),
  };
}

async function apply(call) {
  const { query, store, resource, namespace, name, sub } = call;
  const wanted = readObject(call, await bodyOf(call));
  if (query.fieldManager === undefined || query.fieldManager === '')
    throw new Refusal(
      422,
      'Invalid',
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      {
        details: {
          group: 'meta.k8s.io',
          kind: 'PatchOptions',
          causes: [
            {
              reason: 'FieldValueRequired',
              message: 'Required value: is required for apply patch',
              field: 'fieldManager',
            },
          ],
        },
      },
    );
  if (wanted.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  const manager = managerOf(call, 'Apply');
  checkNamespace(call);
  if (!store.has(resource, namespace, name)) {
    if (sub !== undefined) throw notFound(resource, name);
    return { status: 201, json: createObject(call, wanted, manager) };
  }
  const before = store.get(resource, namespace, name);
  const force = isTrue(query.force);
  const { conflicts, object } = applyFields(before, wanted, manager, { force, isCustom: resource.isCustom });
  if (conflicts !== undefined) throw applyConflict(conflicts);
  const version = wanted.metadata.resourceVersion;
  const metadata = { ...object.metadata, ...(version === undefined ? {} : { resourceVersion: version }) };
  return { json: change(call, before, { ...object, metadata }, manager) };
}

function applyConflict(conflicts) {
  const texts = conflicts.map(({ manager, field }) => `conflict with "${manager}": ${field}`);
  const many = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`;
  return new Refusal(409, 'Conflict', `Apply failed with ${many}: ${texts.join('; ')}`, {
    details: {
      causes: conflicts.map(({ manager, field }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with "${manager}"`,
        field,
      })),
    },
  });
}

const RELEVANT = { spec: 'replicas', status: 'replicas' };

function scaleOf(resource, { metadata, spec, status }) {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec?.[RELEVANT.spec] ?? 0 },
    status: {
      replicas: status?.[RELEVANT.status] ?? 0,
      ...(resource.isCustom
        ? {}
        : {
            selector: Object.entries(spec?.selector?.matchLabels ?? {})
              .map(([key, value]) => `${key}=${value}`)
              .join(','),
          }),
    },
  };
}

function rescale(call, before, replicas) {
  const { resource } = call;
  if (!Number.isInteger(replicas) || replicas < 0)
    throw invalid({ kind: 'Scale', group: 'autoscaling' }, before.metadata.name, [
      {
        reason: 'FieldValueInvalid',
        field: 'spec.replicas',
        message: `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
      },
    ]);
  const after = { ...before, spec: { ...before.spec, replicas } };
  return { json: scaleOf(resource, change(call, before, after, managerOf(call, 'Update'))) };
}

export async function remove(call) {
  const { store, resource, namespace, name, query } = call;
  const options = { ...query, ...((await bodyOf(call, true)) ?? {}) };
  const object = store.get(resource, namespace, name);
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (uid !== undefined && uid !== object.metadata.uid)
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`,
    );
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
    throw conflict(
      resource,
      name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${object.metadata.resourceVersion}`,
    );
  const gone = isDry(call) ? object : removeObject(call, object, options.propagationPolicy);
  const isShown = resource.plural === 'pods' || resource.plural === 'namespaces' || gone.isLeft === true;
  return { json: isShown ? (gone.object ?? gone) : success(resource, name, object.metadata.uid) };
}

/** Removes an object, or marks it where finalizers hold it. */
function removeObject({ store, resource }, object, policy = 'Background') {
  const marked = (more = {}) => ({
    ...object,
    ...more,
    metadata: {
      ...object.metadata,
      deletionTimestamp: object.metadata.deletionTimestamp ?? store.time,
      deletionGracePeriodSeconds: 0,
    },
  });
  if ((object.metadata.finalizers ?? []).length > 0)
    return { isLeft: true, object: store.replace(resource, marked()) };
  if (nameOf(resource) === 'namespaces') {
    const left = store.replace(resource, marked({ status: { phase: 'Terminating' } }));
    for (const { resource: of, object: inner } of store.contentsOf(object.metadata.name))
      if (store.has(of, inner.metadata.namespace, inner.metadata.name))
        removeObject({ store, resource: of }, inner);
    endNamespaceOf(store, { metadata: { namespace: object.metadata.name } });
    return { object: left };
  }
  if (nameOf(resource) === 'customresourcedefinitions.apiextensions.k8s.io')
    for (const { resource: of, object: inner } of store.everything)
      if (of.isCustom && of.group === object.spec.group && of.plural === object.spec.names.plural)
        store.remove(of, inner);
  const gone = store.remove(resource, object);
  collect(store, object, policy);
  endNamespaceOf(store, object);
  return { object: store.show(resource, gone) };
}

export async function removeAll(call) {
  const { store, resource, namespace } = call;
  const options = { ...call.query, ...((await bodyOf(call, true)) ?? {}) };
  const found = store.list(resource, namespace).filter(selectorOf(call));
  if (!isDry(call))
    for (const object of found)
      if (store.has(resource, object.metadata.namespace, object.metadata.name))
        removeObject(call, object, options.propagationPolicy);
  return {
    json: {
      kind: resource.listKind ?? `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(store.revision) },
      items: found,
    },
  };
}

/** An eviction is a deletion that budgets may refuse. */
export async function evict(call) {
  const { store, namespace, name, resource } = call;
  await bodyOf(call);
  const pod = store.get(resource, namespace, name);
  const budgets = store.resources.find(({ plural }) => plural === 'poddisruptionbudgets');
  for (const { spec, status } of store.list(budgets, namespace)) {
    const wanted = Object.entries(spec?.selector?.matchLabels ?? {});
    const isFor = wanted.length > 0 && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
    if (isFor && (status?.disruptionsAllowed ?? 0) === 0)
      throw new Refusal(
        429,
        'TooManyRequests',
        "Cannot evict pod as it would violate the pod's disruption budget.",
        { headers: { 'Retry-After': '10' }, details: { causes: [{ reason: 'DisruptionBudget' }] } },
      );
  }
  removeObject(call, pod);
  return {
    status: 201,
    json: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  };
}

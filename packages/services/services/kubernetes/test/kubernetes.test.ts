import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  VersionApi,
  Watch,
  type KubernetesObject,
  type V1ConfigMap,
  type V1Pod,
  type V1Status,
} from '@kubernetes/client-node';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const backlot = useBacklot({
  services: ['kubernetes'],
  setup: ({ collection }) => {
    collection('kubernetes:logs').create({ id: 'default/web', text: 'one\ntwo\nthree\n' });
    const commands = collection('kubernetes:commands');
    commands.create({ id: 'ls', command: 'ls /srv', stdout: 'a\nb\n' });
    commands.create({ id: 'bad', command: 'bad', stderr: 'no\n', exit_code: 3 });
  },
});

function configOf(token = 'backlot'): KubeConfig {
  const config = new KubeConfig();
  const server = backlot.env.KUBERNETES_URL;
  config.loadFromClusterAndUser({ name: 'backlot', server, skipTLSVerify: true }, { name: 'user', token });
  return config;
}

const core = (token?: string): CoreV1Api => configOf(token).makeApiClient(CoreV1Api);
const namespace = 'default';

const aPod = (name: string, labels: Record<string, string> = {}): V1Pod => ({
  metadata: { name, labels },
  spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
});
const aMap = (name: string, data: Record<string, string> = {}): V1ConfigMap => ({ metadata: { name }, data });

const aDeployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'app', image: 'nginx:1', env: [{ name: 'A', value: '1' }] }] },
    },
  },
};

/** What a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<V1Status & { headers: Record<string, string> }> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiException);
  const { body, code, headers } = error as ApiException<string | V1Status | undefined>;
  // The client reads no body of a 401.
  if (code === 401) return { code, headers };
  const status = (typeof body === 'string' ? JSON.parse(body) : body) as V1Status;
  expect(status).toMatchObject({ kind: 'Status', status: 'Failure', code });
  return { ...status, headers };
}

const aborts: AbortController[] = [];
afterEach(() => {
  for (const controller of aborts.splice(0)) controller.abort();
});

/** Follows a path, and gives events as they come. */
async function follow(
  path: string,
  query: Record<string, string | number | boolean> = {},
): Promise<{ next(): Promise<[string, KubernetesObject]>; readonly ended: Promise<void> }> {
  const seen: [string, KubernetesObject][] = [];
  let wake = (): void => undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const controller = await new Watch(configOf()).watch(
    path,
    query,
    (type: string, object: KubernetesObject) => {
      seen.push([type, object]);
      wake();
    },
    () => end(),
  );
  aborts.push(controller);
  return {
    ended,
    async next() {
      while (seen.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return seen.shift() as [string, KubernetesObject];
    },
  };
}

const shortOf = ([type, object]: [string, KubernetesObject]): string =>
  `${type} ${object.metadata?.name ?? ''}`;

describe('objects', () => {
  it('are created, read, replaced and deleted', async () => {
    const api = core();
    const made = await api.createNamespacedConfigMap({ namespace, body: aMap('a', { k: '1' }) });
    expect(made.metadata).toMatchObject({ name: 'a', namespace, generation: 1 });
    expect(made.metadata?.uid).toMatch(/^[\da-f-]{36}$/);
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const read = await api.readNamespacedConfigMap({ namespace, name: 'a' });
    expect(read).toEqual(made);
    const put = await api.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: { ...read, data: { k: '2' } },
    });
    expect(put.data).toEqual({ k: '2' });
    expect(Number(put.metadata?.resourceVersion)).toBeGreaterThan(Number(read.metadata?.resourceVersion));
    expect(backlot.collection('kubernetes:objects').get('configmaps/default/a')).toMatchObject({
      object: { data: { k: '2' } },
    });
    const gone = await api.deleteNamespacedConfigMap({ namespace, name: 'a' });
    expect(gone).toMatchObject({ status: 'Success', details: { name: 'a', kind: 'configmaps' } });
    expect(await refusal(api.readNamespacedConfigMap({ namespace, name: 'a' }))).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "a" not found',
    });
  });

  it('stay as they are where nothing is different, or where it is a dry run', async () => {
    const api = core();
    const made = await api.createNamespacedConfigMap({ namespace, body: aMap('a') });
    const same = await api.replaceNamespacedConfigMap({ namespace, name: 'a', body: made });
    expect(same.metadata?.resourceVersion).toBe(made.metadata?.resourceVersion);
    await api.createNamespacedConfigMap({ namespace, body: aMap('dry'), dryRun: 'All' });
    await api.deleteNamespacedConfigMap({ namespace, name: 'a', dryRun: 'All' });
    const { items } = await api.listNamespacedConfigMap({ namespace });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['a']);
  });

  it('get names that are made up', async () => {
    const body = { metadata: { generateName: 'job-' }, data: {} };
    const made = await core().createNamespacedConfigMap({ namespace, body });
    expect(made.metadata?.name).toMatch(/^job-[a-z0-9]{5}$/);
  });

  it('are told apart by version: who is late is refused', async () => {
    const api = core();
    const made = await api.createNamespacedConfigMap({ namespace, body: aMap('a') });
    await api.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...made, data: { k: '1' } } });
    const late = api.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: { ...made, data: { k: '2' } },
    });
    expect(await refusal(late)).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(await refusal(api.createNamespacedConfigMap({ namespace, body: aMap('a') }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
  });

  it('that are not valid are refused with what is wrong', async () => {
    const pod = { metadata: { name: 'Bad_Name' }, spec: { containers: [{ name: 'app' }] } };
    const { reason, code, details } = await refusal(core().createNamespacedPod({ namespace, body: pod }));
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(details?.causes?.map(({ field }) => field)).toEqual(['metadata.name', 'spec.containers[0].image']);
    const other = { ...aMap('a'), kind: 'Secret' };
    expect(await refusal(core().createNamespacedConfigMap({ namespace, body: other }))).toMatchObject({
      code: 400,
    });
    const missing = core().createNamespacedConfigMap({ namespace: 'none', body: aMap('a') });
    expect(await refusal(missing)).toMatchObject({ code: 404, message: 'namespaces "none" not found' });
  });

  it.each([
    ['application/vnd.kubernetes.protobuf', 'k8s\0x', 415, 'UnsupportedMediaType'],
    ['application/cbor', '\u{d9}', 415, 'UnsupportedMediaType'],
    ['application/json', '{"metadata": ', 400, 'BadRequest'],
    ['application/yaml', 'a: [b', 400, 'BadRequest'],
    ['application/json', '', 400, 'BadRequest'],
    ['application/json', '[1]', 400, 'BadRequest'],
    ['application/json', 'null', 400, 'BadRequest'],
    ['application/yaml', '- a', 400, 'BadRequest'],
  ])('that come as %s %j are refused with %d', async (type, body, code, reason) => {
    const answer = await fetch(`${backlot.env.KUBERNETES_URL}/api/v1/namespaces/default/configmaps`, {
      method: 'POST',
      headers: { authorization: 'Bearer backlot', 'content-type': type },
      body,
    });
    expect(answer.status).toBe(code);
    expect(await answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code, reason });
  });

  it('of secrets have their texts in base64', async () => {
    const body = { metadata: { name: 's' }, stringData: { password: 'secret' } };
    const made = await core().createNamespacedSecret({ namespace, body });
    expect(made).toMatchObject({
      type: 'Opaque',
      data: { password: Buffer.from('secret').toString('base64') },
    });
  });
});

describe('lists', () => {
  it('are selected by labels and fields', async () => {
    const api = core();
    for (const [name, tier] of [
      ['a', 'front'],
      ['b', 'back'],
      ['c', 'back'],
    ] as const)
      await api.createNamespacedPod({ namespace, body: aPod(name, { tier, [name]: 'yes' }) });
    const names = async (query: { labelSelector?: string; fieldSelector?: string }): Promise<unknown[]> =>
      (await api.listNamespacedPod({ namespace, ...query })).items.map(({ metadata }) => metadata?.name);
    expect(await names({ labelSelector: 'tier=back' })).toEqual(['b', 'c']);
    expect(await names({ labelSelector: 'tier!=back' })).toEqual(['a']);
    expect(await names({ labelSelector: 'tier in (front, back),!b' })).toEqual(['a', 'c']);
    expect(await names({ labelSelector: 'b' })).toEqual(['b']);
    expect(await names({ fieldSelector: 'metadata.name=c' })).toEqual(['c']);
    expect(await names({ fieldSelector: 'status.phase!=Running' })).toEqual([]);
    const wrong = api.listNamespacedPod({ namespace, fieldSelector: 'spec.colour=red' });
    expect(await refusal(wrong)).toMatchObject({
      code: 400,
      message: expect.stringContaining('spec.colour'),
    });
    await api.deleteCollectionNamespacedPod({ namespace, labelSelector: 'tier=back' });
    expect(await names({})).toEqual(['a']);
  });

  it('come in pages, which show one moment', async () => {
    const api = core();
    for (const name of ['a', 'b', 'c']) await api.createNamespacedConfigMap({ namespace, body: aMap(name) });
    const first = await api.listNamespacedConfigMap({ namespace, limit: 2 });
    expect(first.items.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
    expect(first.metadata?.remainingItemCount).toBe(1);
    await api.deleteNamespacedConfigMap({ namespace, name: 'c' });
    const rest = await api.listNamespacedConfigMap({
      namespace,
      limit: 2,
      _continue: first.metadata?._continue ?? '',
    });
    expect(rest.items.map(({ metadata }) => metadata?.name)).toEqual(['c']);
    expect(rest.metadata?.resourceVersion).toBe(first.metadata?.resourceVersion);
  });
});

describe('namespaces', () => {
  it('hold objects, and take them along', async () => {
    const api = core();
    await api.createNamespace({ body: { metadata: { name: 'shop' } } });
    await api.createNamespacedConfigMap({ namespace: 'shop', body: aMap('a') });
    const all = await api.listConfigMapForAllNamespaces();
    expect(all.items.map(({ metadata }) => metadata?.namespace)).toEqual(['shop']);
    const gone = (await api.deleteNamespace({ name: 'shop' })) as { status?: unknown };
    expect(gone.status).toMatchObject({ phase: 'Terminating' });
    expect((await refusal(api.readNamespace({ name: 'shop' }))).code).toBe(404);
    expect((await api.listConfigMapForAllNamespaces()).items).toEqual([]);
  });
});

describe('watches', () => {
  const path = '/api/v1/namespaces/default/configmaps';

  it('see what is created, changed and deleted', async () => {
    const api = core();
    await api.createNamespacedConfigMap({ namespace, body: aMap('old') });
    const { next } = await follow(path);
    expect(shortOf(await next())).toBe('ADDED old');
    const made = await api.createNamespacedConfigMap({ namespace, body: aMap('new') });
    expect(shortOf(await next())).toBe('ADDED new');
    await api.replaceNamespacedConfigMap({ namespace, name: 'new', body: { ...made, data: { k: '1' } } });
    const [type, object] = await next();
    expect([type, (object as V1ConfigMap).data]).toEqual(['MODIFIED', { k: '1' }]);
    await api.deleteNamespacedConfigMap({ namespace, name: 'new' });
    expect(shortOf(await next())).toBe('DELETED new');
  });

  it('begin at a version, and end in time', async () => {
    const api = core();
    const { metadata } = await api.listNamespacedConfigMap({ namespace });
    await api.createNamespacedConfigMap({ namespace, body: aMap('a') });
    await api.deleteNamespacedConfigMap({ namespace, name: 'a' });
    const resourceVersion = metadata?.resourceVersion ?? '';
    const { next, ended } = await follow(path, {
      resourceVersion,
      timeoutSeconds: 30,
      allowWatchBookmarks: true,
    });
    expect([shortOf(await next()), shortOf(await next())]).toEqual(['ADDED a', 'DELETED a']);
    await backlot.clock.advance(31_000);
    expect((await next())[0]).toBe('BOOKMARK');
    await ended;
  });

  it('see objects come and go by their labels', async () => {
    const api = core();
    const { next } = await follow(path, { labelSelector: 'on=yes' });
    const made = await api.createNamespacedConfigMap({ namespace, body: aMap('a') });
    const on = { ...made, metadata: { ...made.metadata, labels: { on: 'yes' } } };
    const now = await api.replaceNamespacedConfigMap({ namespace, name: 'a', body: on });
    expect(shortOf(await next())).toBe('ADDED a');
    await api.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: { ...now, metadata: { ...now.metadata, labels: {} } },
    });
    expect(shortOf(await next())).toBe('DELETED a');
  });

  it('feed informers', async () => {
    const api = core();
    await api.createNamespacedPod({ namespace, body: aPod('a') });
    const informer = makeInformer(configOf(), '/api/v1/namespaces/default/pods', () =>
      api.listNamespacedPod({ namespace }),
    );
    const added = new Promise((resolve) =>
      informer.on('add', (pod) => pod.metadata?.name === 'b' && resolve(pod)),
    );
    const deleted = new Promise((resolve) => informer.on('delete', resolve));
    await informer.start();
    expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['a']);
    await api.createNamespacedPod({ namespace, body: aPod('b') });
    await added;
    await api.deleteNamespacedPod({ namespace, name: 'b' });
    expect(await deleted).toMatchObject({ metadata: { name: 'b' } });
    await informer.stop();
  });
});

describe('patches', () => {
  const apps = (): AppsV1Api => configOf().makeApiClient(AppsV1Api);

  it('are merged, listed as operations, or strategic', async () => {
    const api = apps();
    await api.createNamespacedDeployment({ namespace, body: aDeployment });
    const patch = (strategy: string, body: unknown): Promise<unknown> =>
      api.patchNamespacedDeployment(
        { namespace, name: 'web', body },
        setHeaderOptions('Content-Type', strategy),
      );
    const env = [{ name: 'B', value: '2' }];
    const strategic = { spec: { template: { spec: { containers: [{ name: 'app', env }] } } } };
    expect(await patch(PatchStrategy.StrategicMergePatch, strategic)).toMatchObject({
      metadata: { generation: 2 },
      spec: {
        template: {
          spec: { containers: [{ image: 'nginx:1', env: [{ name: 'A' }, { name: 'B', value: '2' }] }] },
        },
      },
    });
    const merged = await patch(PatchStrategy.MergePatch, {
      metadata: { labels: { a: '1' } },
      spec: { replicas: 5 },
    });
    expect(merged).toMatchObject({
      metadata: { labels: { a: '1' } },
      spec: { replicas: 5 },
      status: { readyReplicas: 5 },
    });
    const operations = [
      { op: 'test', path: '/spec/replicas', value: 5 },
      { op: 'replace', path: '/spec/replicas', value: 1 },
      { op: 'add', path: '/metadata/labels/b~1c', value: '2' },
    ];
    expect(await patch(PatchStrategy.JsonPatch, operations)).toMatchObject({
      metadata: { labels: { a: '1', 'b/c': '2' } },
      spec: { replicas: 1 },
    });
    const failing = patch(PatchStrategy.JsonPatch, [{ op: 'test', path: '/spec/replicas', value: 9 }]);
    expect((await refusal(failing)).code).toBe(422);
    expect((await refusal(patch('text/plain', {}))).code).toBe(415);
  });

  it('of selectors are refused, and scales are objects of their own', async () => {
    const api = apps();
    await api.createNamespacedDeployment({ namespace, body: aDeployment });
    const scale = await api.readNamespacedDeploymentScale({ namespace, name: 'web' });
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2, selector: 'app=web' } });
    await api.replaceNamespacedDeploymentScale({
      namespace,
      name: 'web',
      body: { ...scale, spec: { replicas: 4 } },
    });
    const read = await api.readNamespacedDeployment({ namespace, name: 'web' });
    expect([read.spec?.replicas, read.status?.availableReplicas]).toEqual([4, 4]);
    const body = { ...read, spec: { ...read.spec, selector: { matchLabels: { app: 'other' } } } };
    const refused = await refusal(
      api.replaceNamespacedDeployment({ namespace, name: 'web', body: body as typeof read }),
    );
    expect(refused).toMatchObject({ code: 422, message: expect.stringContaining('field is immutable') });
  });

  it('of a status change nothing else', async () => {
    const api = core();
    const pod = await api.createNamespacedPod({ namespace, body: aPod('a') });
    const now = await api.readNamespacedPod({ namespace, name: 'a' });
    expect([pod.status?.phase, now.status?.phase, now.status?.containerStatuses?.[0]?.ready]).toEqual([
      'Pending',
      'Running',
      true,
    ]);
    const body = { metadata: { labels: { no: 'no' } }, status: { phase: 'Succeeded' } };
    const done = await api.patchNamespacedPodStatus(
      { namespace, name: 'a', body },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect([done.status?.phase, done.metadata?.labels]).toEqual(['Succeeded', {}]);
    const moved = { ...done, spec: { ...done.spec, containers: [{ name: 'other', image: 'x' }] } };
    expect((await refusal(api.replaceNamespacedPod({ namespace, name: 'a', body: moved }))).code).toBe(422);
  });
});

describe('apply', () => {
  const apply = (fieldManager: string, data: Record<string, string>, force = false): Promise<V1ConfigMap> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace }, data };
    const api = configOf().makeApiClient(CoreV1Api);
    const options = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
    return api.patchNamespacedConfigMap({ namespace, name: 'a', body, fieldManager, force }, options);
  };

  it('creates, changes what is its own, and takes away what is not said any more', async () => {
    expect((await apply('one', { a: '1', b: '1' })).metadata?.managedFields).toMatchObject([
      {
        manager: 'one',
        operation: 'Apply',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } },
      },
    ]);
    expect((await apply('two', { c: '1' })).data).toEqual({ a: '1', b: '1', c: '1' });
    expect((await apply('one', { a: '2' })).data).toEqual({ a: '2', c: '1' });
  });

  it('is refused what others have, unless it is forced', async () => {
    await apply('one', { a: '1' });
    const { code, details, message } = await refusal(apply('two', { a: '2' }));
    expect([code, message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "one": .data.a']);
    expect(details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' },
    ]);
    expect((await apply('two', { a: '2' }, true)).data).toEqual({ a: '2' });
    expect((await apply('one', { b: '1' })).data).toEqual({ a: '2', b: '1' });
  });
});

describe('deletion', () => {
  it('takes along what belongs to the object', async () => {
    const api = core();
    const owner = await api.createNamespacedConfigMap({ namespace, body: aMap('owner') });
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata?.uid ?? '' },
    ];
    await api.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'owned', ownerReferences } },
    });
    await api.deleteNamespacedConfigMap({ namespace, name: 'owner', propagationPolicy: 'Background' });
    expect((await api.listNamespacedConfigMap({ namespace })).items).toEqual([]);
  });

  it('waits for finalizers', async () => {
    const api = core();
    const body = { metadata: { name: 'a', finalizers: ['example.com/wait'] } };
    await api.createNamespacedConfigMap({ namespace, body });
    await api.deleteNamespacedConfigMap({ namespace, name: 'a' });
    const waiting = await api.readNamespacedConfigMap({ namespace, name: 'a' });
    expect(waiting.metadata?.deletionTimestamp).toBeInstanceOf(Date);
    await api.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: { ...waiting, metadata: { ...waiting.metadata, finalizers: [] } },
    });
    expect((await refusal(api.readNamespacedConfigMap({ namespace, name: 'a' }))).code).toBe(404);
  });

  it('is only of the object that is meant', async () => {
    const api = core();
    await api.createNamespacedConfigMap({ namespace, body: aMap('a') });
    const body = { preconditions: { uid: 'another' } };
    expect(await refusal(api.deleteNamespacedConfigMap({ namespace, name: 'a', body }))).toMatchObject({
      code: 409,
    });
  });
});

describe('custom resources', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'teas.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'teas', singular: 'tea', kind: 'Tea', shortNames: ['te'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  type: 'object',
                  required: ['sort'],
                  properties: {
                    sort: { type: 'string', _enum: ['green', 'black'] },
                    cups: { type: 'integer', _default: 1, minimum: 1 },
                  },
                },
                status: { type: 'object', properties: { hot: { type: 'boolean' } } },
              },
            },
          },
        },
      ],
    },
  };
  const at = { group: 'example.com', version: 'v1', namespace, plural: 'teas' };

  it('are defined, checked, completed and watched', async () => {
    const config = configOf();
    const custom = config.makeApiClient(CustomObjectsApi);
    expect((await refusal(custom.listNamespacedCustomObject(at))).code).toBe(404);
    const made = await config
      .makeApiClient(ApiextensionsV1Api)
      .createCustomResourceDefinition({ body: definition });
    expect(made.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toContain(
      'Established True',
    );
    const { next } = await follow('/apis/example.com/v1/teas');
    const tea = { apiVersion: 'example.com/v1', kind: 'Tea', metadata: { name: 'a' } };
    const wrong = custom.createNamespacedCustomObject({
      ...at,
      body: { ...tea, spec: { sort: 'red', cups: 0 } },
    });
    expect((await refusal(wrong)).details?.causes?.map(({ field }) => field)).toEqual([
      'spec.sort',
      'spec.cups',
    ]);
    const body = { ...tea, spec: { sort: 'green', unknown: 1 } };
    expect(await custom.createNamespacedCustomObject({ ...at, body })).toMatchObject({
      spec: { sort: 'green', cups: 1 },
    });
    expect(shortOf(await next())).toBe('ADDED a');
    const status = await custom.patchNamespacedCustomObjectStatus(
      { ...at, name: 'a', body: { spec: { sort: 'black' }, status: { hot: true } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect(status).toMatchObject({ spec: { sort: 'green' }, status: { hot: true } });
    expect(status).not.toHaveProperty('spec.unknown');
    expect((await next())[0]).toBe('MODIFIED');
    const list = (await custom.listNamespacedCustomObject(at)) as { kind: string; items: unknown[] };
    expect([list.kind, list.items.length]).toEqual(['TeaList', 1]);
    await config
      .makeApiClient(ApiextensionsV1Api)
      .deleteCustomResourceDefinition({ name: 'teas.example.com' });
    expect(shortOf(await next())).toBe('DELETED a');
  });

  it('are found by generic clients', async () => {
    const config = configOf();
    await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: definition });
    const client = KubernetesObjectApi.makeApiClient(config);
    const tea = {
      apiVersion: 'example.com/v1',
      kind: 'Tea',
      metadata: { name: 'a', namespace },
      spec: { sort: 'black' },
    };
    await client.create(tea);
    expect(await client.read(tea)).toMatchObject({ spec: { sort: 'black', cups: 1 } });
    expect((await client.list('example.com/v1', 'Tea', namespace)).items).toHaveLength(1);
  });
});

describe('pods', () => {
  it('have logs, which go on', async () => {
    const api = core();
    await api.createNamespacedPod({ namespace, body: aPod('web') });
    expect(await api.readNamespacedPodLog({ namespace, name: 'web', tailLines: 2 })).toBe('two\nthree\n');
    const text = new PassThrough();
    const controller = await new Log(configOf()).log(namespace, 'web', 'app', text, {
      follow: true,
      tailLines: 1,
    });
    expect(String((await once(text, 'data'))[0])).toBe('three\n');
    const url = `${backlot.env.KUBERNETES_URL}/simulate/logs/default/web`;
    const heard = once(text, 'data');
    await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"text": "four"}',
    });
    expect(String((await heard)[0])).toBe('four\n');
    controller.abort();
    const wrong = api.readNamespacedPodLog({ namespace, name: 'web', container: 'no' });
    expect(await refusal(wrong)).toMatchObject({
      code: 400,
      message: 'container no is not valid for pod web',
    });
  });

  /** Runs a command. */
  async function run(
    command: string[],
    input?: Readable,
  ): Promise<{ out: string; err: string; status: V1Status }> {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const texts = { out: '', err: '' };
    out.on('data', (data) => (texts.out += String(data)));
    err.on('data', (data) => (texts.err += String(data)));
    const status = await new Promise<V1Status>((resolve, reject) => {
      new Exec(configOf())
        .exec(namespace, 'web', 'app', command, out, err, input ?? null, false, resolve)
        .catch(reject);
    });
    return { ...texts, status };
  }

  it('run commands', async () => {
    await core().createNamespacedPod({ namespace, body: aPod('web') });
    expect(await run(['ls', '/srv'])).toMatchObject({
      out: 'a\nb\n',
      err: '',
      status: { status: 'Success' },
    });
    const bad = await run(['sh', '-c', 'bad']);
    expect(bad).toMatchObject({ err: 'no\n', status: { status: 'Failure', reason: 'NonZeroExitCode' } });
    expect(bad.status.details?.causes).toEqual([{ reason: 'ExitCode', message: '3' }]);
    expect((await run(['vi'])).status).toMatchObject({
      reason: 'InternalError',
      message: expect.stringContaining('"vi"'),
    });
    expect(await run(['cat'], Readable.from(['hello']))).toMatchObject({
      out: 'hello',
      status: { status: 'Success' },
    });
    expect(backlot.collection('kubernetes:sessions').list()).toContainEqual(
      expect.objectContaining({ pod: 'web', command: ['cat'], stdin: 'hello' }),
    );
  });

  it('are evicted unless a budget holds them', async () => {
    const api = core();
    await api.createNamespacedPod({ namespace, body: aPod('web') });
    const body = { metadata: { name: 'web', namespace } };
    await api.createNamespacedPodEviction({ namespace, name: 'web', body });
    expect((await refusal(api.readNamespacedPod({ namespace, name: 'web' }))).code).toBe(404);
  });
});

describe('discovery', () => {
  it('lists versions, groups and resources', async () => {
    const config = configOf();
    expect((await config.makeApiClient(VersionApi).getCode()).gitVersion).toBe('v1.34.1');
    const { resources } = await config.makeApiClient(AppsV1Api).getAPIResources();
    expect(resources.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['deployments', 'deployments/status', 'deployments/scale', 'statefulsets']),
    );
    const response = await fetch(`${backlot.env.KUBERNETES_URL}/apis/none/v1/things`);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({
        reason: 'NotFound',
        message: expect.stringContaining('the service kubernetes knows'),
      }),
    ]);
  });
});

describe('scenarios', () => {
  it.each([
    ['rate-limited', 429, 'TooManyRequests'],
    ['outage', 503, 'ServiceUnavailable'],
    ['timed-out', 504, 'Timeout'],
    ['forbidden', 403, 'Forbidden'],
    ['quota-exceeded', 403, 'Forbidden'],
    ['admission-denied', 400, 'BadRequest'],
  ])('%s', async (name, code, reason) => {
    backlot.scenarios.activate(`kubernetes:${name}`);
    const refused = refusal(core().createNamespacedConfigMap({ namespace, body: aMap('a') }));
    expect(await refused).toMatchObject({ code, reason });
  });

  it('refuse credentials', async () => {
    expect(await refusal(core('invalid').listNode())).toMatchObject({ code: 401 });
    backlot.scenarios.activate('kubernetes:wrong-credentials');
    expect(await refusal(core().listNode())).toMatchObject({ code: 401 });
  });

  it('refuse one change, as if somebody had been first', async () => {
    const made = await core().createNamespacedConfigMap({ namespace, body: aMap('a') });
    backlot.scenarios.activate('kubernetes:conflict-once');
    const put = (): Promise<V1ConfigMap> =>
      core().replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...made, data: { k: '1' } } });
    expect((await refusal(put())).reason).toBe('Conflict');
    expect((await put()).data).toEqual({ k: '1' });
  });

  it('end watches', async () => {
    const api = core();
    const { metadata } = await api.listNamespacedConfigMap({ namespace });
    backlot.scenarios.activate('kubernetes:watch-expired');
    const expired = await follow('/api/v1/configmaps', { resourceVersion: metadata?.resourceVersion ?? '' });
    expect(await expired.next()).toMatchObject(['ERROR', { kind: 'Status', code: 410, reason: 'Expired' }]);
    await expired.ended;
    backlot.scenarios.activate('kubernetes:watch-cut');
    const cut = await follow('/api/v1/configmaps');
    await api.createNamespacedConfigMap({ namespace, body: aMap('a') });
    expect(shortOf(await cut.next())).toBe('ADDED a');
    await cut.ended;
  });

  it('keep pods from running', async () => {
    backlot.scenarios.activate('kubernetes:crash-loop');
    await core().createNamespacedPod({ namespace, body: aPod('a') });
    const { status } = await core().readNamespacedPod({ namespace, name: 'a' });
    expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('CrashLoopBackOff');
    backlot.scenarios.activate('kubernetes:pods-pending');
    await core().createNamespacedPod({ namespace, body: aPod('b') });
    expect((await core().readNamespacedPod({ namespace, name: 'b' })).status?.phase).toBe('Pending');
  });
});

describe('other clients', () => {
  itWithTool('kubectl', 'kubectl applies, gets, scales, waits, patches, reads logs and deletes', async () => {
    const env = { ...backlot.env, KUBECONFIG: '/dev/null' };
    const run = async (...args: string[]): Promise<string> => (await runTool('kubectl', args, { env })).out;
    const file = fileURLToPath(new URL('web.yaml', import.meta.url));
    expect(await run('create', '-f', file)).toBe('configmap/a created\ndeployment.apps/web created\n');
    expect(await run('apply', '--server-side', '--force-conflicts', '-f', file)).toBe(
      'configmap/a serverside-applied\ndeployment.apps/web serverside-applied\n',
    );
    expect(await run('get', 'configmap', 'a', '-o', 'jsonpath={.data.k}')).toBe('1');
    expect(await run('rollout', 'status', 'deployment/web')).toContain('successfully rolled out');
    expect(await run('scale', 'deployment/web', '--replicas=3')).toContain('scaled');
    expect(await run('get', 'deploy', 'web', '-o', 'jsonpath={.status.readyReplicas}')).toBe('3');
    expect(await run('patch', 'cm', 'a', '-p', '{"metadata": {"labels": {"x": "y"}}}')).toContain('patched');
    expect(await run('get', 'cm', '-l', 'x=y', '-o', 'name')).toBe('configmap/a\n');
    await core().createNamespacedPod({ namespace, body: aPod('web') });
    expect(await run('logs', 'web')).toBe('one\ntwo\nthree\n');
    expect(await run('wait', '--for=condition=Ready', 'pod/web', '--timeout=10s')).toContain('condition met');
    expect(await run('delete', 'pod', 'web')).toContain('deleted');
    expect(await run('get', 'ns', '-o', 'name')).toContain('namespace/default');
  });

  itWithTool(
    'python3:kubernetes',
    "Python's client lists, watches, patches, runs commands and knows errors",
    async () => {
      const script = fileURLToPath(new URL('client.py', import.meta.url));
      await core().createNamespacedPod({ namespace, body: aPod('web') });
      const { out } = await runTool('/usr/bin/python3', [script, backlot.env.KUBERNETES_URL]);
      expect(out).toBe('done\n');
    },
  );
});

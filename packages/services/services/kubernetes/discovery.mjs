import { apiVersionOf } from './resources.mjs';

const ADDRESSES = [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Reviews, which are asked and not kept: kind and plural by group. */
export const REVIEWS = [
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
  },
  { group: 'authentication.k8s.io', version: 'v1', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview' },
];

export const versionOf = ({ context }) => {
  const gitVersion = context.vars.kubernetes?.version ?? 'v1.34.1';
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    json: {
      major,
      minor,
      gitVersion,
      gitCommit: '0000000000000000000000000000000000000000',
      gitTreeState: 'clean',
      buildDate: '2025-01-01T00:00:00Z',
      goVersion: 'go1.24.0',
      compiler: 'gc',
      platform: 'linux/amd64',
    },
  };
};

export const coreVersions = () => ({
  json: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: ADDRESSES },
});

function groupsOf({ store }) {
  const groups = new Map();
  for (const { group, version } of [...store.resources, ...REVIEWS]) {
    if (group === '') continue;
    const versions = groups.get(group) ?? new Set();
    groups.set(group, versions.add(version));
  }
  return [...groups].map(([name, all]) => {
    const versions = [...all].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions, preferredVersion: versions[0] };
  });
}

export const groups = (call) => ({
  json: { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(call) },
});

export function group(call) {
  const found = groupsOf(call).find(({ name }) => name === call.group);
  return found === undefined ? undefined : { json: { kind: 'APIGroup', apiVersion: 'v1', ...found } };
}

export function resources({ store, group: name, version }) {
  const found = store.resources.filter((one) => one.group === name && one.version === version);
  const reviews = REVIEWS.filter((one) => one.group === name && one.version === version);
  if (found.length + reviews.length === 0) return undefined;
  const list = found.flatMap((one) => [
    {
      name: one.plural,
      singularName: one.singular,
      namespaced: one.isNamespaced,
      kind: one.kind,
      verbs: VERBS,
      ...(one.shortNames.length > 0 ? { shortNames: one.shortNames } : {}),
      ...(isInAll(one) ? { categories: ['all'] } : {}),
    },
    ...one.subresources.map((sub) => ({
      name: `${one.plural}/${sub}`,
      singularName: '',
      namespaced: one.isNamespaced,
      ...(sub === 'scale'
        ? { group: 'autoscaling', version: 'v1', kind: 'Scale' }
        : { kind: KINDS[sub] ?? one.kind }),
      verbs: SUB_VERBS[sub] ?? ['get', 'patch', 'update'],
    })),
  ]);
  const asked = reviews.map(({ plural, kind }) => ({
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced: false,
    kind,
    verbs: ['create'],
  }));
  return {
    json: {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersionOf({ group: name, version }),
      resources: [...list, ...asked],
    },
  };
}

const IN_ALL = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'deployments',
  'replicasets',
  'statefulsets',
  'daemonsets',
  'jobs',
  'cronjobs',
  'horizontalpodautoscalers',
]);
const isInAll = ({ plural, isCustom, categories = [] }) =>
  isCustom === true ? categories.includes('all') : IN_ALL.has(plural);
const KINDS = { exec: 'PodExecOptions', eviction: 'Eviction', token: 'TokenRequest' };
const SUB_VERBS = {
  exec: ['create', 'get'],
  log: ['get'],
  eviction: ['create'],
  token: ['create'],
  finalize: ['update'],
};

/** Clients that check objects themselves find no schemas, and leave that to the server. */
export function openapi({ request }) {
  return String(request.headers.accept ?? '').includes('protobuf')
    ? { headers: { 'Content-Type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' }, body: '' }
    : { json: { swagger: '2.0', info: { title: 'Kubernetes', version: 'v1' }, paths: {}, definitions: {} } };
}

export const openapi3 = () => ({ json: { paths: {} } });

/** Everybody may do everything. */
export function review({ kind, body, user }) {
  const status =
    kind === 'SelfSubjectReview'
      ? { userInfo: { username: user, groups: ['system:masters', 'system:authenticated'] } }
      : { allowed: true, reason: 'everybody may do everything' };
  return { status: 201, json: { ...body, kind, status } };
}

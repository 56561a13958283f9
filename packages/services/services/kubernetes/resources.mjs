/** Each line: group/version, plural, kind, scope, short names, subresources. */
const BUILT_IN = `
v1 namespaces Namespace cluster ns status,finalize
v1 nodes Node cluster no status
v1 persistentvolumes PersistentVolume cluster pv status
v1 pods Pod namespaced po status,log,exec,attach,eviction,binding
v1 services Service namespaced svc status
v1 endpoints Endpoints namespaced ep -
v1 configmaps ConfigMap namespaced cm -
v1 secrets Secret namespaced - -
v1 serviceaccounts ServiceAccount namespaced sa token
v1 events Event namespaced ev -
v1 limitranges LimitRange namespaced limits -
v1 resourcequotas ResourceQuota namespaced quota status
v1 persistentvolumeclaims PersistentVolumeClaim namespaced pvc status
v1 replicationcontrollers ReplicationController namespaced rc status,scale
v1 podtemplates PodTemplate namespaced - -
apps/v1 deployments Deployment namespaced deploy status,scale
apps/v1 replicasets ReplicaSet namespaced rs status,scale
apps/v1 statefulsets StatefulSet namespaced sts status,scale
apps/v1 daemonsets DaemonSet namespaced ds status
apps/v1 controllerrevisions ControllerRevision namespaced - -
batch/v1 jobs Job namespaced - status
batch/v1 cronjobs CronJob namespaced cj status
autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler namespaced hpa status
networking.k8s.io/v1 ingresses Ingress namespaced ing status
networking.k8s.io/v1 ingressclasses IngressClass cluster - -
networking.k8s.io/v1 networkpolicies NetworkPolicy namespaced netpol -
policy/v1 poddisruptionbudgets PodDisruptionBudget namespaced pdb status
rbac.authorization.k8s.io/v1 roles Role namespaced - -
rbac.authorization.k8s.io/v1 rolebindings RoleBinding namespaced - -
rbac.authorization.k8s.io/v1 clusterroles ClusterRole cluster - -
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding cluster - -
storage.k8s.io/v1 storageclasses StorageClass cluster sc -
scheduling.k8s.io/v1 priorityclasses PriorityClass cluster pc -
coordination.k8s.io/v1 leases Lease namespaced - -
discovery.k8s.io/v1 endpointslices EndpointSlice namespaced - -
events.k8s.io/v1 events Event namespaced ev -
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration cluster - -
admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration cluster - -
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition cluster crd,crds status
`;

const listOf = (text) => (text === '-' ? [] : text.split(','));

/** A group and a version of `apps/v1`; the group of `v1` has no name. */
export function splitVersion(apiVersion) {
  const at = apiVersion.indexOf('/');
  return at < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1) };
}

export const apiVersionOf = ({ group, version }) => (group === '' ? version : `${group}/${version}`);

const builtIn = BUILT_IN.trim()
  .split(/\r?\n/)
  .map((line) => {
    const [apiVersion, plural, kind, scope, short, subresources] = line.split(' ');
    return {
      ...splitVersion(apiVersion),
      plural,
      singular: kind.toLowerCase(),
      kind,
      isNamespaced: scope === 'namespaced',
      shortNames: listOf(short),
      subresources: listOf(subresources),
    };
  });

export const DEFINITIONS = builtIn.find(({ plural }) => plural === 'customresourcedefinitions');
export const NAMESPACES = builtIn.find(({ plural }) => plural === 'namespaces');

/** The resources that a definition makes, one a version. */
function customOf({ spec }) {
  return (spec.versions ?? [])
    .filter(({ served }) => served !== false)
    .map((version) => ({
      group: spec.group,
      version: version.name,
      plural: spec.names.plural,
      singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
      kind: spec.names.kind,
      listKind: spec.names.listKind ?? `${spec.names.kind}List`,
      isNamespaced: spec.scope === 'Namespaced',
      shortNames: spec.names.shortNames ?? [],
      categories: spec.names.categories ?? [],
      subresources: Object.keys(version.subresources ?? {}),
      isCustom: true,
      schema: version.schema?.openAPIV3Schema,
      scale: version.subresources?.scale,
    }));
}

/** All resources that there are: those of the server, and those of its custom definitions. */
export const resourcesOf = (definitions) => [...builtIn, ...definitions.flatMap(customOf)];

/** What controllers and a kubelet would make of an object: those that matter most are played at once, others not at all. */
export function settle(resource, object, store, options) {
  if (resource.isCustom) return undefined;
  const act = Object.hasOwn(ACTS, resource.plural) ? ACTS[resource.plural] : undefined;
  return act?.(object, store, options);
}

const condition = (type, time, status = 'True', more = {}) => ({
  type,
  status,
  lastTransitionTime: time,
  ...more,
});

function pod({ metadata, spec }, store, { pods = 'Running' }) {
  const { time } = store;
  const containers = spec.containers.map(({ name, image }, at) => {
    const base = { name, image, imageID: '', restartCount: 0 };
    if (pods === 'CrashLoopBackOff') {
      const state = {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off 5m0s restarting failed container=${name} pod=${metadata.name}_${metadata.namespace}(${metadata.uid})`,
        },
      };
      const lastState = { terminated: { exitCode: 1, reason: 'Error', startedAt: time, finishedAt: time } };
      return { ...base, ready: false, started: false, restartCount: 5, state, lastState };
    }
    const containerID = `containerd://${metadata.uid.replaceAll('-', '')}${at}`;
    return { ...base, containerID, ready: true, started: true, state: { running: { startedAt: time } } };
  });
  if (pods === 'Pending') return undefined;
  const isReady = pods === 'Running' ? 'True' : 'False';
  return {
    spec: { ...spec, nodeName: spec.nodeName ?? 'backlot' },
    status: {
      phase: 'Running',
      conditions: [
        condition('PodScheduled', time),
        condition('Initialized', time),
        condition('ContainersReady', time, isReady),
        condition('Ready', time, isReady),
      ],
      hostIP: '10.0.0.1',
      podIP: addressOf(metadata.uid, '10.244'),
      podIPs: [{ ip: addressOf(metadata.uid, '10.244') }],
      startTime: time,
      containerStatuses: containers,
      qosClass: 'BestEffort',
    },
  };
}

function replicated({ metadata, spec, status }, store, { pods = 'Running' }) {
  const replicas = spec.replicas ?? 1;
  const ready = pods === 'Running' ? replicas : 0;
  const isThere = pods === 'Running' ? 'True' : 'False';
  const time =
    status?.conditions?.find(({ type, status: is }) => type === 'Available' && is === isThere)
      ?.lastTransitionTime ?? store.time;
  return {
    status: {
      ...status,
      observedGeneration: metadata.generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      ...(ready < replicas ? { unavailableReplicas: replicas - ready } : { unavailableReplicas: undefined }),
      conditions: [
        condition('Available', time, isThere, {
          lastUpdateTime: time,
          reason: isThere === 'True' ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        }),
        condition('Progressing', time, 'True', {
          lastUpdateTime: time,
          reason: isThere === 'True' ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        }),
      ],
    },
  };
}

function service({ metadata, spec }) {
  if (spec.type === 'ExternalName' || spec.clusterIP !== undefined) return undefined;
  const ip = addressOf(metadata.uid, '10.96');
  return { spec: { ...spec, clusterIP: ip, clusterIPs: [ip] } };
}

/** An address that follows from an id. */
function addressOf(uid, network) {
  const number = Number.parseInt(uid.slice(0, 4), 16);
  return `${network}.${number >> 8}.${((number & 255) % 254) + 1}`;
}

function definition({ spec, status }, store) {
  if (status?.conditions !== undefined) return undefined;
  return {
    status: {
      acceptedNames: spec.names,
      storedVersions: [spec.versions.find(({ storage }) => storage).name],
      conditions: [
        condition('NamesAccepted', store.time, 'True', {
          reason: 'NoConflicts',
          message: 'no conflicts found',
        }),
        condition('Established', store.time, 'True', {
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }),
      ],
    },
  };
}

const ACTS = {
  pods: (object, store, options) =>
    object.status?.phase === 'Pending' ? pod(object, store, options) : undefined,
  deployments: replicated,
  statefulsets: replicated,
  replicasets: replicated,
  customresourcedefinitions: definition,
};

/** What an object has from the moment it is there. */
export function complete(resource, object) {
  if (resource.isCustom) return object;
  switch (resource.plural) {
    case 'namespaces':
      return {
        ...object,
        metadata: {
          ...object.metadata,
          labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
        },
        spec: { finalizers: ['kubernetes'], ...object.spec },
        status: { phase: 'Active' },
      };
    case 'pods':
      return {
        ...object,
        spec: {
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          dnsPolicy: 'ClusterFirst',
          serviceAccountName: 'default',
          schedulerName: 'default-scheduler',
          enableServiceLinks: true,
          ...object.spec,
        },
        status: { phase: 'Pending', qosClass: 'BestEffort' },
      };
    case 'services':
      return {
        ...object,
        ...service(object),
        spec: { type: 'ClusterIP', sessionAffinity: 'None', ...(service(object) ?? object).spec },
        status: { loadBalancer: {} },
      };
    case 'deployments':
    case 'statefulsets':
    case 'replicasets':
      return { ...object, spec: { replicas: 1, ...object.spec } };
    case 'secrets': {
      const { stringData = {}, ...rest } = object;
      const given = Object.entries(stringData).map(([key, text]) => [
        key,
        Buffer.from(String(text)).toString('base64'),
      ]);
      const data = { ...rest.data, ...Object.fromEntries(given) };
      return { ...rest, type: rest.type ?? 'Opaque', ...(Object.keys(data).length > 0 ? { data } : {}) };
    }
    case 'persistentvolumeclaims':
      return { ...object, status: { phase: 'Pending' } };
    default:
      return object;
  }
}

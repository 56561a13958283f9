import { NAMESPACES } from './resources.mjs';

/** What belongs to an object that is gone goes as well, unless it belongs to others, or is to stay as an orphan. */
export function collect(store, { metadata: { uid } }, policy) {
  for (const { resource, object } of store.everything) {
    const owners = object.metadata.ownerReferences ?? [];
    if (!owners.some((owner) => owner.uid === uid)) continue;
    if (!store.has(resource, object.metadata.namespace, object.metadata.name)) continue;
    const others = owners.filter((owner) => owner.uid !== uid);
    if (policy === 'Orphan' || others.length > 0) {
      const { ownerReferences: _owners, ...metadata } = object.metadata;
      store.replace(resource, {
        ...object,
        metadata: others.length > 0 ? { ...metadata, ownerReferences: others } : metadata,
      });
    } else if ((object.metadata.finalizers ?? []).length > 0) {
      const metadata = {
        ...object.metadata,
        deletionTimestamp: object.metadata.deletionTimestamp ?? store.time,
      };
      store.replace(resource, { ...object, metadata });
    } else {
      store.remove(resource, object);
      collect(store, object, 'Background');
    }
  }
}

/** A namespace that is to end does so with the last thing in it. */
export function endNamespaceOf(store, { metadata: { namespace } }) {
  const object = namespace === undefined ? undefined : store.namespaceOf(namespace);
  if (object?.status?.phase !== 'Terminating' || (object.metadata.finalizers ?? []).length > 0) return;
  if (store.contentsOf(namespace).length === 0) store.remove(NAMESPACES, object);
}

import { listOf, xmlDocument } from '../../aws/xml.mjs';
import { metadataOf, stampHeaders } from './blobs.mjs';
import { checkConditions } from './conditions.mjs';
import { BlobError, invalidHeader, invalidXml } from './errors.mjs';
import { checkLease, lease, leaseHeaders } from './leases.mjs';

const NAME = /^(?!-)(?!.*--)[a-z\d-]{3,63}(?<!-)$/;

function accessOf({ headers }) {
  const access = headers['x-ms-blob-public-access'];
  if (access !== undefined && access !== 'blob' && access !== 'container')
    throw invalidHeader('x-ms-blob-public-access', access);
  return access;
}

export function createContainer({ request, store, container }) {
  if (!NAME.test(container) && container !== '$root' && container !== '$web')
    throw new BlobError(
      400,
      'InvalidResourceName',
      'The specified resource name contains invalid characters.',
    );
  if (store.containers.has(container))
    throw new BlobError(409, 'ContainerAlreadyExists', 'The specified container already exists.');
  const access = accessOf(request);
  const made = store.containers.create({
    id: container,
    ...store.stamp(),
    metadata: metadataOf(request),
    ...(access !== undefined && { public_access: access }),
  });
  return { status: 201, headers: stampHeaders(made) };
}

export function getContainer({ request, store, container }) {
  const found = store.container(container);
  checkLease(request.headers, found, store.now, { what: 'container', writes: false });
  const headers = {
    ...stampHeaders(found),
    ...leaseHeaders(found, store.now),
    'x-ms-has-immutability-policy': 'false',
    'x-ms-has-legal-hold': 'false',
    ...(found.public_access && { 'x-ms-blob-public-access': found.public_access }),
  };
  for (const [name, value] of Object.entries(found.metadata ?? {})) headers[`x-ms-meta-${name}`] = value;
  return { headers };
}

export function deleteContainer({ request, store, container }) {
  const found = store.container(container);
  checkConditions(request.headers, found);
  checkLease(request.headers, found, store.now, { what: 'container' });
  for (const rows of [store.blobs, store.snapshots, store.blocks])
    for (const { id } of rows.list()) if (id.startsWith(`${container}/`)) rows.remove(id);
  store.containers.remove(container);
  return { status: 202 };
}

export function setContainerMetadata({ request, store, container }) {
  checkConditions(request.headers, store.container(container));
  return { headers: stampHeaders(store.changeContainer(container, { metadata: metadataOf(request) })) };
}

export function getAcl({ store, container }) {
  const found = store.container(container);
  const SignedIdentifier = (found.policies ?? []).map(({ id, start, expiry, permission }) => ({
    Id: id,
    AccessPolicy: { Start: start, Expiry: expiry, Permission: permission },
  }));
  return {
    headers: {
      ...stampHeaders(found),
      'Content-Type': 'application/xml',
      ...(found.public_access && { 'x-ms-blob-public-access': found.public_access }),
    },
    body: xmlDocument('SignedIdentifiers', { SignedIdentifier }),
  };
}

export function setAcl({ request, store, container }) {
  const found = store.container(container);
  checkConditions(request.headers, found);
  checkLease(request.headers, found, store.now, { what: 'container', writes: false });
  const list = request.xml?.SignedIdentifiers;
  const policies = listOf(list === '' ? undefined : list?.SignedIdentifier).map(
    ({ Id, AccessPolicy = {} }) => {
      if (typeof Id !== 'string') throw invalidXml();
      const { Start, Expiry, Permission } = AccessPolicy;
      return {
        id: Id,
        ...(Start && { start: Start }),
        ...(Expiry && { expiry: Expiry }),
        ...(Permission && { permission: Permission }),
      };
    },
  );
  if (policies.length > 5) throw invalidXml();
  const access = accessOf(request);
  const { public_access: _access, ...row } = found;
  const made = store.containers.replace(container, {
    ...row,
    ...store.stamp(),
    policies,
    ...(access !== undefined && { public_access: access }),
  });
  return { headers: stampHeaders(made) };
}

export function leaseContainer(call) {
  const { store, container } = call;
  return lease(call, store.container(container), 'container', (state) =>
    store.changeContainer(container, { lease: state }, true),
  );
}

export function accountInfo() {
  return {
    headers: {
      'x-ms-sku-name': 'Standard_LRS',
      'x-ms-account-kind': 'StorageV2',
      'x-ms-is-hns-enabled': 'false',
    },
  };
}

export function serviceProperties() {
  const Metrics = { Version: '1.0', Enabled: false, RetentionPolicy: { Enabled: false } };
  return {
    headers: { 'Content-Type': 'application/xml' },
    body: xmlDocument('StorageServiceProperties', {
      Logging: {
        Version: '1.0',
        Delete: false,
        Read: false,
        Write: false,
        RetentionPolicy: { Enabled: false },
      },
      HourMetrics: Metrics,
      MinuteMetrics: Metrics,
      Cors: null,
      DeleteRetentionPolicy: { Enabled: false },
      StaticWebsite: { Enabled: false },
    }),
  };
}

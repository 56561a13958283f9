import { checkConditions } from './conditions.mjs';
import { BlobError, invalidHeader, missingHeader } from './errors.mjs';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a lease is at a time: available, leased, expired, breaking or broken. */
export function leaseState({ lease }, now) {
  if (lease === undefined) return 'available';
  if (lease.breaks !== undefined) return now >= lease.breaks ? 'broken' : 'breaking';
  return lease.until !== undefined && now >= lease.until ? 'expired' : 'leased';
}

export function leaseHeaders(thing, now) {
  const state = leaseState(thing, now);
  const isLocked = state === 'leased' || state === 'breaking';
  return {
    'x-ms-lease-state': state,
    'x-ms-lease-status': isLocked ? 'locked' : 'unlocked',
    ...(state === 'leased' && {
      'x-ms-lease-duration': thing.lease.until === undefined ? 'infinite' : 'fixed',
    }),
  };
}

/** Whether a call may touch what is leased. @param writes - whether it changes it; else only a wrong id is refused */
export function checkLease(headers, thing, now, { what = 'blob', writes = true } = {}) {
  const given = headers['x-ms-lease-id'];
  const name = what === 'blob' ? 'Blob' : 'Container';
  const state = thing === undefined ? 'available' : leaseState(thing, now);
  const isLocked = state === 'leased' || state === 'breaking';
  if (given === undefined) {
    if (isLocked && writes)
      throw new BlobError(
        412,
        'LeaseIdMissing',
        `There is currently a lease on the ${what} and no lease ID was specified in the request.`,
      );
    return;
  }
  if (!isLocked)
    throw new BlobError(
      412,
      state === 'available' ? `LeaseNotPresentWith${name}Operation` : 'LeaseLost',
      `There is currently no lease on the ${what}.`,
    );
  if (given.toLowerCase() !== thing.lease.id)
    throw new BlobError(
      412,
      `LeaseIdMismatchWith${name}Operation`,
      `The lease ID specified did not match the lease ID for the ${what}.`,
    );
}

const mismatch = (what) =>
  new BlobError(
    409,
    'LeaseIdMismatchWithLeaseOperation',
    `The lease ID specified did not match the lease ID for the ${what}.`,
  );

function idOf(headers, name) {
  const id = headers[name];
  if (id === undefined) throw missingHeader(name);
  if (!UUID.test(id)) throw invalidHeader(name, id);
  return id.toLowerCase();
}

function untilOf(headers, now) {
  const text = headers['x-ms-lease-duration'] ?? '-1';
  const seconds = Number(text);
  if (seconds === -1) return { seconds };
  if (!Number.isInteger(seconds) || seconds < 15 || seconds > 60)
    throw invalidHeader('x-ms-lease-duration', text);
  return { seconds, until: now + 1000 * seconds };
}

/** One action on the lease of a blob or a container. @param save - keeps what the lease has become */
export function lease({ request, store }, thing, what, save) {
  const { headers } = request;
  const { now } = store;
  const state = leaseState(thing, now);
  const action = headers['x-ms-lease-action'];
  checkConditions(headers, thing);
  const shown = (status, more = {}) => ({
    status,
    headers: { ETag: `"${thing.etag}"`, 'Last-Modified': new Date(thing.modified).toUTCString(), ...more },
  });
  const own = (value) => {
    if (thing.lease === undefined || state === 'available')
      throw new BlobError(
        409,
        'LeaseNotPresentWithLeaseOperation',
        `There is currently no lease on the ${what}.`,
      );
    if (value !== thing.lease.id) throw mismatch(what);
  };
  switch (action) {
    case 'acquire': {
      const id =
        headers['x-ms-proposed-lease-id'] === undefined
          ? store.uuid()
          : idOf(headers, 'x-ms-proposed-lease-id');
      const { until, seconds } = untilOf(headers, now);
      if ((state === 'leased' && thing.lease.id !== id) || state === 'breaking')
        throw new BlobError(409, 'LeaseAlreadyPresent', 'There is already a lease present.');
      save({ id, seconds, ...(until !== undefined && { until }) });
      return shown(201, { 'x-ms-lease-id': id });
    }
    case 'renew': {
      const id = idOf(headers, 'x-ms-lease-id');
      own(id);
      if (state === 'breaking' || state === 'broken')
        throw new BlobError(
          409,
          'LeaseIsBrokenAndCannotBeRenewed',
          'The lease ID matched, but the lease has been broken explicitly and cannot be renewed.',
        );
      const { seconds } = thing.lease;
      save({ id, seconds, ...(seconds !== -1 && { until: now + 1000 * seconds }) });
      return shown(200, { 'x-ms-lease-id': id });
    }
    case 'change': {
      const [id, next] = [idOf(headers, 'x-ms-lease-id'), idOf(headers, 'x-ms-proposed-lease-id')];
      if (thing.lease?.id !== next) own(id);
      save({ ...thing.lease, id: next });
      return shown(200, { 'x-ms-lease-id': next });
    }
    case 'release':
      own(idOf(headers, 'x-ms-lease-id'));
      save(undefined);
      return shown(200);
    case 'break': {
      if (thing.lease === undefined)
        throw new BlobError(
          409,
          'LeaseNotPresentWithLeaseOperation',
          `There is currently no lease on the ${what}.`,
        );
      const left = thing.lease.until === undefined ? 0 : Math.max(0, thing.lease.until - now);
      const period = headers['x-ms-lease-break-period'];
      const wait =
        period === undefined
          ? left
          : thing.lease.until === undefined
            ? 1000 * Number(period)
            : Math.min(left, 1000 * Number(period));
      if (Number.isNaN(wait)) throw invalidHeader('x-ms-lease-break-period', period);
      save({ ...thing.lease, breaks: now + wait });
      return shown(202, { 'x-ms-lease-time': String(Math.ceil(wait / 1000)) });
    }
    case undefined:
      throw missingHeader('x-ms-lease-action');
    default:
      throw invalidHeader('x-ms-lease-action', action);
  }
}

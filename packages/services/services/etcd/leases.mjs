import { waitFor } from '../../waiting/index.mjs';
import { changed, EtcdError, operation, Store } from './store.mjs';

function leaseOf(store, id) {
  const key = String(id ?? '0');
  if (store.leases.has(key)) return store.leases.get(key);
  throw new EtcdError('NOT_FOUND', 'requested lease not found');
}

function remaining({ expires_at: end }, store) {
  return Math.max(Math.ceil((end - store.now) / 1000), 0);
}

export const grant = operation(({ TTL = 0, ID = '0' }, store) => {
  const ttl = Number(TTL);
  if (ttl <= 0 || ttl > 9_000_000_000) throw new EtcdError('OUT_OF_RANGE', 'too large lease TTL');
  const id =
    String(ID) === '0'
      ? String(7_587_000_000_000_000_000n + BigInt(store.random.int(1, 2 ** 31)))
      : String(ID);
  if (store.leases.has(id)) throw new EtcdError('FAILED_PRECONDITION', 'lease already exists');
  store.leases.create({ id, ttl, expires_at: store.now + ttl * 1000 });
  changed.ring();
  return { ID: id, TTL: ttl };
});

export const revoke = operation(({ ID }, store) => {
  store.revoke(leaseOf(store, ID));
  return {};
});

export const timeToLive = operation(({ ID = '0', keys = false }, store) => {
  const id = String(ID);
  if (!store.leases.has(id)) return { ID: id, TTL: -1 };
  const lease = store.leases.get(id);
  const attached = store.keys.list().filter(({ lease: of }) => of === id);
  return {
    ID: id,
    TTL: remaining(lease, store),
    grantedTTL: lease.ttl,
    keys: keys ? attached.map(({ key }) => Buffer.from(key).toString('base64')) : [],
  };
});

export const list = operation((_request, store) => ({
  leases: store.leases.list().map(({ id }) => ({ ID: id })),
}));

/** Each message of the client keeps a lease alive. */
export async function* keepAlive({ arriving }, context) {
  for await (const { ID = '0' } of arriving) {
    const store = new Store(context);
    const id = String(ID);
    if (!store.leases.has(id)) {
      yield { header: store.header, ID: id, TTL: 0 };
      continue;
    }
    const { ttl } = store.leases.get(id);
    store.leases.update(id, { expires_at: store.now + ttl * 1000 });
    yield { header: store.header, ID: id, TTL: ttl };
  }
}

/** Ends leases while somebody waits for that. @returns what the client has sent, `undefined` when something has changed */
export async function waitForChange(store, context, asked) {
  const found = await waitFor(changed, { clock: context.clock, asked, milliseconds: store.nextExpiry });
  return found === 'rung' ? undefined : found;
}

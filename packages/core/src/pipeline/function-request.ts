import type { RespondRequest } from '../contract/respond.js';
import type { RequestView } from '../templates/template.js';

const NAMES = ['method', 'path', 'remote', 'headers', 'query', 'params', 'body', 'raw_body'] as const;
const NONE = Object.freeze({});

const handler: ProxyHandler<{ readonly view: RequestView }> = {
  get: ({ view }, name) => {
    if (typeof name === 'symbol' || name === 'toJSON' || name === 'then') return undefined;
    const value = view.get(name);
    return value === undefined && (name === 'headers' || name === 'query') ? NONE : value;
  },
  set: () => false,
  has: ({ view }, name) => typeof name === 'string' && view.get(name) !== undefined,
  ownKeys: () => [...NAMES],
  getOwnPropertyDescriptor: ({ view }, name) => {
    if (typeof name === 'symbol' || !(NAMES as readonly string[]).includes(name)) return undefined;
    return { value: view.get(name), enumerable: true, configurable: true, writable: false };
  },
};

/** What a function sees of a message: what costs something is made when it is read. */
export function functionRequest(view: RequestView): RespondRequest {
  return new Proxy({ view }, handler) as unknown as RespondRequest;
}

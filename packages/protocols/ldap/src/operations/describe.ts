import type { Operation } from '../message.js';
import type { Request } from '../wire/request.js';
import { OP } from '../wire/tags.js';

/** What the journal calls operations, by the tags of their requests. */
export const OPERATIONS: ReadonlyMap<number, Operation> = new Map([
  [OP.bindRequest, 'BIND'],
  [OP.unbindRequest, 'UNBIND'],
  [OP.searchRequest, 'SEARCH'],
  [OP.modifyRequest, 'MODIFY'],
  [OP.addRequest, 'ADD'],
  [OP.deleteRequest, 'DELETE'],
  [OP.modifyDnRequest, 'MODIFYDN'],
  [OP.compareRequest, 'COMPARE'],
  [OP.abandonRequest, 'ABANDON'],
  [OP.extendedRequest, 'EXTENDED'],
]);

/** What the journal calls the target of a request. */
export function pathOf(request: Request): string {
  switch (request.type) {
    case 'bind':
      return request.name;
    case 'search':
      return request.base;
    case 'abandon':
      return String(request.id);
    case 'extended':
      return request.oid;
    case 'modifydn':
      return request.entry;
    case 'unbind':
      return '';
    default:
      return request.dn;
  }
}

/** What the journal calls an operation on an entry, and the tag of its answer. */
export const ENTRY_OPERATIONS = {
  add: { operation: 'ADD', tag: OP.addResponse },
  modify: { operation: 'MODIFY', tag: OP.modifyResponse },
  delete: { operation: 'DELETE', tag: OP.deleteResponse },
  modifydn: { operation: 'MODIFYDN', tag: OP.modifyDnResponse },
  compare: { operation: 'COMPARE', tag: OP.compareResponse },
} as const;

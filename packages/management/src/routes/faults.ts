import type { Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { faultSchema } from '../openapi/kind-schemas.js';
import {
  CLEARED,
  ClearedSchema,
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';

const tag = 'Faults';

/** The direct faults of all kinds. */
export function allFaultRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/fault',
      name: 'listFaults',
      tag,
      summary: 'The direct faults that are set, by protocol.',
      responses: {
        200: answers(
          'Faults by protocol.',
          Type.Record(Type.String(), Type.Object({}, { additionalProperties: true })),
        ),
      },
      handle: (_request, host) => ({ body: host.faults.all() }),
    },
    {
      method: 'DELETE',
      path: '/api/fault',
      name: 'clearFaults',
      tag,
      summary: 'Clears all direct faults.',
      responses: { 200: answers('No direct fault is set.', ClearedSchema) },
      handle(_request, host) {
        host.faults.clearAll();
        return CLEARED;
      },
    },
  ];
}

/** The direct fault of one kind; none when it cannot be faulted. */
export function faultRoutes(kind: Kind): ManagementRoute[] {
  const schema = faultSchema(kind.protocol);
  if (schema === undefined) return [];
  const name = pascalCase(kind.kind);
  const path = `/api/fault/${kind.kind}`;
  const { title } = kind.protocol.meta;
  const orNull = Type.Union([schema, Type.Null()]);
  return [
    {
      method: 'GET',
      path,
      name: `get${name}Fault`,
      tag,
      summary: `The direct fault of ${title}.`,
      responses: { 200: answers('The fault, or null when none is set.', orNull) },
      handle: (_request, host) => ({ body: host.faults.get(kind.kind) ?? null }),
    },
    {
      method: 'POST',
      path,
      name: `set${name}Fault`,
      tag,
      summary: `Sets the fault of ${title}, in place of an earlier one.`,
      description:
        'A fault that has only delays is latency; an empty object fails every message in the usual way.',
      body: schema,
      hostChecksBody: true,
      examples: [{ delay: '250ms' }, { error_rate: 0.5 }],
      responses: {
        200: answers('The fault, as it was given.', schema),
        400: fails('The fault is not valid; details name every problem.'),
        503: NOT_ENABLED,
      },
      handle({ body }, host) {
        checkEnabled(kind);
        return { body: host.faults.set(kind.kind, body) };
      },
    },
    {
      method: 'DELETE',
      path,
      name: `clear${name}Fault`,
      tag,
      summary: `Clears the fault of ${title}.`,
      responses: { 200: answers('No direct fault is set.', ClearedSchema) },
      handle(_request, host) {
        host.faults.clear(kind.kind);
        return CLEARED;
      },
    },
    {
      method: 'GET',
      path: `${path}/effective`,
      name: `getEffective${name}Fault`,
      tag,
      summary: `What hits ${title} now: the direct fault overlaid by active scenarios.`,
      responses: { 200: answers('The fault, or null when there is none.', orNull) },
      handle: (_request, host) => ({ body: host.faults.effective(kind.kind) ?? null }),
    },
  ];
}

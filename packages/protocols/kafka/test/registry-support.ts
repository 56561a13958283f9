import type { Json } from '@backlot/core';
import { startHost, type Running } from './support.js';

/** A host with a schema registry. */
export interface WithRegistry extends Running {
  readonly url: string;
}

/** Starts Kafka with a schema registry. */
export async function startRegistry(registry: Json = {}, settings: Json = {}): Promise<WithRegistry> {
  const running = await startHost({ ...settings, schema_registry: { port: 0, ...registry } });
  const { schema_registry: url } = running.host.kind('kafka').status() as { schema_registry: string };
  return { ...running, url };
}

/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Asks a registry; a body is sent as JSON. */
export async function ask({ url }: WithRegistry, line: string, body?: unknown): Promise<Answer> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'Content-Type': 'application/vnd.schemaregistry.v1+json', Connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** A schema of Avro as the registry takes it. */
export function avro(fields: readonly object[], name = 'Order'): { readonly schema: string } {
  return { schema: JSON.stringify({ type: 'record', name, fields }) };
}

import type { Registry } from './registry.js';

/** A request to the registry. */
export interface RegistryRequest {
  /** What stands in the path for each name in braces. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body, an empty object when there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a request with a value of JSON. @throws RegistryError */
export type RegistryHandler = (request: RegistryRequest, registry: Registry) => unknown;

/** A route: its method, its path with names in braces, and what answers it. */
export type RegistryRoute = readonly [method: string, path: string, handle: RegistryHandler];

/** An answer that is sent as it is. */
export class RawText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

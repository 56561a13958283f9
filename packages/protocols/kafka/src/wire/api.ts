import type { Decoded, Encodable, Fields } from './fields.js';

/** One API of the protocol: the tables of its request and its response. */
export interface Api<Request extends Fields = Fields, Response extends Fields = Fields> {
  readonly key: number;
  readonly name: string;
  /** The lowest and the highest version that is answered. */
  readonly min: number;
  readonly max: number;
  /** The first version with compact lengths and tagged fields. */
  readonly flexible: number;
  readonly request: Request;
  readonly response: Response;
}

/** What a request of the API is read as. */
export type RequestOf<A> = A extends Api<infer Request, infer _> ? Decoded<Request> : never;
/** What a response of the API is written from. */
export type ResponseOf<A> = A extends Api<infer _, infer Response> ? Encodable<Response> : never;

/** Declares an API; types are inferred from the tables. */
export function defineApi<Request extends Fields, Response extends Fields>(
  api: Api<Request, Response>,
): Api<Request, Response> {
  return api;
}

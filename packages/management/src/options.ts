import type { RequestHandler } from 'express';
import type { ManagementRoute } from './routes/management-route.js';

/** Settings of the management interface; all may be left out. */
export interface ManagementOptions {
  /** When set, every request but that for the health must carry `Authorization: Bearer <token>`. */
  readonly token?: string;
  /** Names that `Host` may hold beside IP literals, single-label names and `*.localhost`; `*.name` covers what is below. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may use the interface, such as `https://app.example`; `*` is every origin. */
  readonly allowedOrigins?: readonly string[];
  /** The largest body in bytes; 10 MiB when absent. */
  readonly maxBodyBytes?: number;
  /** Gives the self-signed certificate of this process as PEM; without it `GET /api/ca.pem` answers 404. */
  readonly caCertificate?: () => Promise<string>;
  /** Where the interface is reached from outside, for the OpenAPI document; the path below which it is mounted when absent. */
  readonly publicUrl?: string;
  /** Milliseconds of silence after which an event stream gets a comment line; 15,000 when absent. */
  readonly commentAfter?: number;
  /** Bytes that may wait for the reader of an event stream before it counts as too slow; 1 MiB when absent. */
  readonly maxWaitingBytes?: number;
  /** Milliseconds for which the reader of a long answer may read nothing before it is given up; 60,000 when absent. */
  readonly stalledAfter?: number;
  /** Routes of your own, as data: they are mounted, checked and described as all others are. */
  readonly routes?: readonly ManagementRoute[];
  /**
   * Express handlers and routers of your own. They are mounted at `/api` like the routes, behind the same checks of
   * sender and token, and get what none of the routes answers.
   */
  readonly use?: readonly RequestHandler[];
  /** Told of exceptions that are nobody's fault but ours; the client gets a 500. */
  readonly onError?: (thrown: unknown, request: { readonly method: string; readonly path: string }) => void;
}

/** {@link ManagementOptions} with everything filled in that has a default. */
export interface Settings {
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: ReadonlySet<string>;
  readonly maxBodyBytes: number;
  readonly caCertificate: (() => Promise<string>) | undefined;
  readonly publicUrl: string | undefined;
  readonly commentAfter: number;
  readonly maxWaitingBytes: number;
  readonly stalledAfter: number;
  readonly routes: readonly ManagementRoute[];
  readonly use: readonly RequestHandler[];
  readonly onError: NonNullable<ManagementOptions['onError']>;
}

/** Fills in the defaults. */
export function completeOptions(options: ManagementOptions): Settings {
  return {
    token: options.token === '' ? undefined : options.token,
    allowedHosts: (options.allowedHosts ?? []).map((name) => name.toLowerCase()),
    allowedOrigins: new Set(
      (options.allowedOrigins ?? []).map((origin) => origin.toLowerCase().replace(/\/$/, '')),
    ),
    maxBodyBytes: options.maxBodyBytes ?? 10 * 1024 * 1024,
    caCertificate: options.caCertificate,
    publicUrl: options.publicUrl,
    commentAfter: options.commentAfter ?? 15_000,
    maxWaitingBytes: options.maxWaitingBytes ?? 1024 * 1024,
    stalledAfter: options.stalledAfter ?? 60_000,
    routes: options.routes ?? [],
    use: options.use ?? [],
    onError: options.onError ?? (() => undefined),
  };
}

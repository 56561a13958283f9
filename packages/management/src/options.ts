import type { Exporter, Host, Importer, Span } from '@backlot/core';
import type { RequestHandler } from 'express';
import type { Replication } from './replication/replication.js';
import type { ManagementRoute } from './routes/management-route.js';

/** What files are imported with beside the importers of kinds. It is loaded when somebody imports one. */
export interface ImportTools {
  load(): Promise<{
    /** Importers that belong to no kind. */
    readonly importers: readonly Importer[];
    /** Reads a text that is no JSON as YAML, where it is that. */
    readonly parseTree: (text: string, name: string) => ParsedFile | Promise<ParsedFile>;
  }>;
}

/** What the text of a file is. */
interface ParsedFile {
  /** The object or list that it is; absent when it is neither. */
  readonly tree?: unknown;
  /** Why a text that begins as an object or list is none. */
  readonly fault?: string;
}

/** What files are written with beside the exporters of kinds. It is loaded when somebody wants one. */
export interface ExportTools {
  load(): Promise<{
    /** Exporters that belong to no kind. */
    readonly exporters: readonly Exporter[];
    /** Writes all that a host has as one file; absent where that is not installed. */
    readonly save?: (
      host: Host,
      options: { readonly reason: string; readonly withSecrets: boolean },
    ) => AsyncIterator<Uint8Array, void>;
  }>;
}

/** What reads spans of applications. It is loaded when some come. */
export interface SpanTools {
  /** @throws BacklotError `not_found` where it is not installed */
  load(): Promise<{
    /**
     * Takes an export of traces by OTLP, in steps between which others are let in.
     *
     * @param request - the bytes, and what they are as JSON where the content type says that
     * @returns the answer, also of what cannot be read
     */
    readonly takeSpans: (
      request: { readonly contentType: string; readonly bytes: Uint8Array; readonly tree?: unknown },
      add: (span: Span) => void,
    ) => Generator<
      undefined,
      { readonly status: number; readonly contentType: string; readonly bytes: Uint8Array }
    >;
  }>;
}

/** Settings of the management API; all are optional. */
export interface ManagementOptions {
  /**
   * The token that every request must carry as `Authorization: Bearer <token>`, except `GET /api/health`; no token is
   * needed when absent.
   */
  readonly token?: string;
  /**
   * Host names that the header `Host` may have, beside IP addresses, names without a dot and `*.localhost`; `*.name` is
   * every name below one.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins of web pages that may use the API, such as `https://app.example`; `*` is every origin. None when absent.
   */
  readonly allowedOrigins?: readonly string[];
  /** The largest body in bytes; 10 MiB when absent. */
  readonly maxBodyBytes?: number;
  /**
   * Gives the self-signed certificate of this process as PEM, for `GET /api/ca.pem`; without it that route answers 404.
   */
  readonly caCertificate?: () => Promise<string>;
  /**
   * The url by which clients reach the API, for the OpenAPI document; the path below which it is mounted when absent.
   */
  readonly publicUrl?: string;
  /** Milliseconds without an event after which an event stream gets a comment line; 15,000 when absent. */
  readonly commentAfter?: number;
  /**
   * How many bytes may wait for the reader of an event stream before it counts as too slow and misses events; 1 MiB
   * when absent.
   */
  readonly maxWaitingBytes?: number;
  /** Milliseconds after which a client that reads nothing of a long answer is disconnected; 60,000 when absent. */
  readonly stalledAfter?: number;
  /** What makes it one of several that agree; it is alone when absent. */
  readonly replication?: Replication;
  /** What files are imported with; those of the kinds alone when absent. */
  readonly imports?: ImportTools;
  /** What files are written with; those of the kinds alone when absent. */
  readonly exports?: ExportTools;
  /** What reads spans of applications; without it `POST /v1/traces` answers 404. */
  readonly spans?: SpanTools;
  /** Further routes, as data: they are mounted, checked and described as all others are. */
  readonly routes?: readonly ManagementRoute[];
  /**
   * Further Express handlers and routers. They are mounted at `/api` like the routes, after the same checks of sender
   * and token, and are given the requests that no route answers.
   */
  readonly use?: readonly RequestHandler[];
  /**
   * Answers what is not below `/api`, such as the files of a page, and `/api/docs`: after the checks of the sender, and before that of the token,
   * which what it answers must not need. It passes on what it does not know.
   */
  readonly page?: RequestHandler;
  /**
   * Answers what is neither below `/api` nor of the page, after the checks of sender and token. It passes on what it does not know.
   */
  readonly beside?: RequestHandler;
  /** Called with exceptions that are a fault of the server, not of the request; the client gets a 500. */
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
  readonly replication: Replication | undefined;
  readonly imports: ImportTools | undefined;
  readonly exports: ExportTools | undefined;
  readonly spans: SpanTools | undefined;
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
    replication: options.replication,
    imports: options.imports,
    exports: options.exports,
    spans: options.spans,
    routes: options.routes ?? [],
    use: options.use ?? [],
    onError: options.onError ?? (() => undefined),
  };
}

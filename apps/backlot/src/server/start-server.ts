import {
  BacklotError,
  createHost,
  isBacklotError,
  reachableHost,
  type Host,
  type HostOptions,
  type Protocol,
} from '@backlot/core';
import { formatAddress } from '@backlot/kit';
import type { ListenAddress } from '@backlot/core/plugin';
import { hostOptionsOf } from './host-options.js';
import { createManagementPort, type ManagementPort } from './management-port.js';
import type { ServerPlan } from './plan.js';
import type { SpanExporter } from '../traces/span-exporter.js';
import type { ToxiproxyPort } from '../toxiproxy/toxiproxy-port.js';

/** How long answers that have begun may take after a stop was asked for, in milliseconds. */
const GRACE = 1500;
const MANAGEMENT_GRACE = 200;
/** How long spans that wait may take to leave. */
const TRACES_GRACE = 300;

/** What starting a server takes. */
export interface ServerOptions {
  readonly plan: ServerPlan;
  readonly protocols: readonly Protocol[];
  readonly version: string;
  readonly log: NonNullable<HostOptions['log']>;
}

/** A server that listens. */
export interface RunningServer {
  readonly host: Host;
  /** Where the management port listens. */
  readonly api: ListenAddress;
  /** The url of the management port. */
  readonly apiUrl: string;
  /** The url of the API of Toxiproxy; absent when there is none. */
  readonly toxiproxyUrl?: string;
  /** Stops everything in less than two seconds, whoever is connected. */
  stop(): Promise<void>;
}

/**
 * Starts the protocols of a plan, the webhook sender and the management port. When one of them cannot start, nothing
 * is left listening.
 *
 * @throws BacklotError when ports are in use, all of them named, or a setting does not work out
 */
export async function startServer({ plan, protocols, version, log }: ServerOptions): Promise<RunningServer> {
  const host = await createHost({
    ...hostOptionsOf(plan),
    protocols,
    version,
    log,
    watchEventLoop: true,
  });
  const management = createManagementPort(host, plan.api, (text) =>
    log({ level: 'error', kind: 'management', text }),
  );
  try {
    await host.start();
  } catch (error) {
    throw await withManagementPort(error, management);
  }
  let api: ListenAddress;
  try {
    api = await management.start();
  } catch (error) {
    await host.stop(0);
    throw error;
  }
  let toxiproxy: { readonly port: ToxiproxyPort; readonly url: string } | undefined;
  try {
    toxiproxy = await startToxiproxy(host, plan, (text) => log({ level: 'error', kind: 'toxiproxy', text }));
  } catch (error) {
    await host.stop(0);
    await management.stop(0);
    throw error;
  }
  const traces = await startTraces(host, (text) => log({ level: 'warn', kind: 'traces', text }));
  const { tls } = plan.api;
  const scheme = tls === undefined || tls.enabled === false ? 'http' : 'https';
  let stopping: Promise<void> | undefined;
  // The management port stays until the rest has stopped, so that its health check can say so.
  const stopAll = async (): Promise<void> => {
    try {
      await host.stop(GRACE);
      await traces?.stop(TRACES_GRACE);
    } finally {
      await Promise.all([management.stop(MANAGEMENT_GRACE), toxiproxy?.port.stop(MANAGEMENT_GRACE)]);
    }
  };
  return {
    host,
    api,
    apiUrl: `${scheme}://${formatAddress(reachableHost(api.host), api.port)}`,
    ...(toxiproxy && { toxiproxyUrl: toxiproxy.url }),
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

/** Starts the API of Toxiproxy where the plan has one; its code is loaded for nobody else. */
async function startToxiproxy(
  host: Host,
  { toxiproxy }: ServerPlan,
  onError: (text: string) => void,
): Promise<{ readonly port: ToxiproxyPort; readonly url: string } | undefined> {
  if (toxiproxy === undefined) return undefined;
  const { createToxiproxyPort } = await import('../toxiproxy/toxiproxy-port.js');
  const port = createToxiproxyPort(host, toxiproxy, onError);
  const place = await port.start();
  return { port, url: `http://${formatAddress(reachableHost(place.host), place.port)}` };
}

/** Sends spans where OpenTelemetry's variables say where to; its code is loaded for nobody else. What is wrong with them stops nothing. */
async function startTraces(host: Host, warn: (text: string) => void): Promise<SpanExporter | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = process.env;
  if (base === undefined && own === undefined) return undefined;
  const { readExportSettings } = await import('../traces/export-settings.js');
  try {
    const settings = readExportSettings(process.env);
    if (settings === undefined) return undefined;
    const { SpanExporter } = await import('../traces/span-exporter.js');
    return new SpanExporter(host, settings, warn);
  } catch (thrown) {
    warn(`no spans are sent: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return undefined;
  }
}

/** The error of a host whose ports are in use, with that of the management port when it could not be had either. */
async function withManagementPort(error: unknown, management: ManagementPort): Promise<unknown> {
  if (!isPortInUse(error)) return error;
  try {
    await management.start();
    await management.stop(0);
    return error;
  } catch (own) {
    if (!isPortInUse(own)) return error;
    const message = `${error.message}; the management port: ${own.message}`;
    return new BacklotError('port_in_use', message, { cause: error });
  }
}

function isPortInUse(error: unknown): error is BacklotError {
  return isBacklotError(error) && error.code === 'port_in_use';
}

/** Whether what listens on a host is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

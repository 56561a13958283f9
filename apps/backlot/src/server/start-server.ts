import {
  BacklotError,
  createHost,
  isBacklotError,
  reachableHost,
  type Host,
  type HostOptions,
  type Reconfigured,
  type Protocol,
} from '@backlot/core';
import { checkTls, formatAddress } from '@backlot/kit';
import type { ListenAddress } from '@backlot/core/plugin';
import type { JoinedCluster } from './cluster.js';
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
  /**
   * Makes it what one would be that was started by another plan. What does not change goes on, connections included.
   *
   * @returns what it did
   * @throws BacklotError for settings that do not work out, such as ports in use; everything is as it was then, except after a
   * {@link PartlyTaken}
   */
  reload(plan: ServerPlan, protocols: readonly Protocol[]): Promise<Reloaded>;
  /** Stops everything in less than two seconds, whoever is connected. */
  stop(): Promise<void>;
}

/** A reload of which a part could not be taken, when the rest was taken already. */
export class PartlyTaken extends BacklotError {}

/** What {@link RunningServer.reload} did. */
export interface Reloaded extends Reconfigured {
  /** What the management port did. */
  readonly management: 'stays' | 'moved' | 'renewed';
  /** Whether the management port has read its certificate anew. */
  readonly hasNewCertificate: boolean;
  /** Settings of the plan that differ and count at a start. */
  readonly atStart: readonly string[];
}

/**
 * Starts the protocols of a plan, the webhook sender and the management port. When one of them cannot start, nothing
 * is left listening.
 *
 * @throws BacklotError when ports are in use, all of them named, or a setting does not work out
 */
export async function startServer({ plan, protocols, version, log }: ServerOptions): Promise<RunningServer> {
  const cluster = await joinCluster({ plan, protocols, version, log });
  try {
    return await startJoined({ plan, protocols, version, log }, cluster);
  } catch (error) {
    await cluster?.stop(() => Promise.resolve());
    throw error;
  }
}

/** Joins the cluster of a plan that has one; its code is loaded for nobody else. */
async function joinCluster({
  plan,
  protocols,
  version,
  log,
}: ServerOptions): Promise<JoinedCluster | undefined> {
  const warn = (text: string): void => log({ level: 'warn', kind: 'cluster', text });
  if (plan.worker !== undefined) {
    const { joinAsWorker } = await import('./worker-cluster.js');
    return joinAsWorker(plan, plan.worker, { protocols, version, warn });
  }
  if (plan.cluster === undefined) return undefined;
  const { joinPlanned } = await import('./cluster.js');
  return joinPlanned(plan, plan.cluster, { protocols, version, warn });
}

async function startJoined(
  { plan, protocols, version, log }: ServerOptions,
  cluster: JoinedCluster | undefined,
): Promise<RunningServer> {
  const host = await createHost({
    ...hostOptionsOf(plan),
    ...cluster?.host,
    protocols,
    version,
    log,
    watchEventLoop: true,
  });
  const makeManagement = (api: ServerPlan['api']): Promise<ManagementPort> =>
    createManagementPort(host, api, (text) => log({ level: 'error', kind: 'management', text }), {
      ...cluster?.management,
      ...(cluster?.together && { together: cluster.together }),
    });
  let management = await makeManagement(plan.api);
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
  try {
    await cluster?.follow(host, api, (address) => urlOf(address, plan.api.tls));
  } catch (error) {
    await host.stop(0);
    await management.stop(0);
    throw error;
  }
  let current = plan;
  const traces = await startTraces(host, (text) => log({ level: 'warn', kind: 'traces', text }));
  let stopping: Promise<void> | undefined;
  // The management port stays until the rest has stopped, so that its health check can say so.
  const stopAll = async (): Promise<void> => {
    try {
      const stopHost = (): Promise<void> => host.stop(GRACE);
      await (cluster === undefined ? stopHost() : cluster.stop(stopHost));
      await traces?.stop(TRACES_GRACE);
    } finally {
      await Promise.all([management.stop(MANAGEMENT_GRACE), toxiproxy?.port.stop(MANAGEMENT_GRACE)]);
    }
  };
  /** Lets the management port listen as another plan has it, where it listens now: only one can. */
  const listenAnew = async (next: ServerPlan['api']): Promise<void> => {
    const made = await makeManagement(next);
    await management.stop(MANAGEMENT_GRACE);
    try {
      api = await made.start();
      management = made;
    } catch (error) {
      management = await makeManagement(current.api);
      api = await management.start();
      throw error;
    }
  };
  /** Takes the options of another plan, once the management port listens at the place that it has there. */
  const takeAt = async (
    next: ServerPlan['api'],
    take: () => Promise<Reconfigured>,
  ): Promise<Reconfigured> => {
    const made = await makeManagement(next);
    const place = await made.start();
    let done: Reconfigured;
    try {
      done = await take();
    } catch (error) {
      await made.stop(0);
      throw error;
    }
    if (done.hasNewRoutes) made.renew(next);
    void management.stop(MANAGEMENT_GRACE);
    management = made;
    api = place;
    return done;
  };
  const reload = async (next: ServerPlan, others: readonly Protocol[]): Promise<Reloaded> => {
    if (cluster !== undefined && cluster.together === undefined)
      throw new BacklotError(
        'conflict',
        'a replica takes changes from the log of its cluster alone; use "backlot apply", or start it again',
      );
    const isElsewhere = next.api.host !== current.api.host || next.api.port !== current.api.port;
    const isMoved = isElsewhere || !isSame(next.api.tls, current.api.tls);
    // One that was made up, or is that of a cluster, is no other one because the configuration has none.
    const seed = next.host.seed === current.host.seed ? { seed: host.seed } : {};
    const take = (): Promise<Reconfigured> => host.reconfigure({ ...next.host, ...seed, protocols: others });
    const { tls } = next.api;
    // What can be found out is found out before anything is taken.
    if (isMoved && !isElsewhere && tls !== undefined && tls.enabled !== false) await checkTls(tls);
    const takeCertificate = isMoved ? undefined : await management.renewCertificate();
    const done = isElsewhere ? await takeAt(next.api, take) : await take();
    takeCertificate?.();
    if (isMoved && !isElsewhere) {
      try {
        await listenAnew(next.api);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new PartlyTaken('conflict', `the management port goes on as it was: ${message}`, {
          cause: error,
        });
      }
    } else if (!isMoved && (done.hasNewRoutes || !isSame(next.api, current.api))) management.renew(next.api);
    const isRenewed = !isMoved && !isSame(next.api, current.api);
    const atStart = (['toxiproxy', 'tls', 'webhooks'] as const).filter(
      (part) => !isSame(next[part], current[part]),
    );
    current = { ...next, ...Object.fromEntries(atStart.map((part) => [part, current[part]])) };
    return {
      ...done,
      management: isMoved ? 'moved' : isRenewed ? 'renewed' : 'stays',
      hasNewCertificate: takeCertificate !== undefined,
      atStart: [...done.notTaken, ...atStart],
    };
  };
  return {
    host,
    get api() {
      return api;
    },
    get apiUrl() {
      return urlOf(api, current.api.tls);
    },
    reload,
    ...(toxiproxy && { toxiproxyUrl: toxiproxy.url }),
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

function urlOf(api: ListenAddress, tls: ServerPlan['api']['tls']): string {
  const scheme = tls === undefined || tls.enabled === false ? 'http' : 'https';
  return `${scheme}://${formatAddress(reachableHost(api.host), api.port)}`;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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

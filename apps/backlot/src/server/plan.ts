import type { WorkerEnd } from '@backlot/cluster';
import type { HostOptions, Protocol } from '@backlot/core';
import type { ListenAddress } from '@backlot/core/plugin';
import { CommandError } from '../cli/command-error.js';
import { readToken } from '../config/read-token.js';
import { describeMissing } from '../plugins/known.js';
import type { ApiSettings, CertificateSettings, FileSettings, WebhookSettings } from '../config/settings.js';

/** What flags and the environment say, over what the file says. */
export interface Overrides {
  readonly host?: string | undefined;
  readonly apiPort?: number | undefined;
  readonly toxiproxyPort?: number | undefined;
  /** By kind. */
  readonly ports?: ReadonlyMap<string, number>;
  /** The only kinds to start. */
  readonly only?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly token?: string | undefined;
  readonly cluster?: ClusterPlan | undefined;
  readonly worker?: WorkerPlan | undefined;
  /** Whether there is the page; as the file says when absent. */
  readonly ui?: boolean | undefined;
  /** Free ports for everything, whatever the file says. */
  readonly freePorts?: boolean;
}

/** The cluster that a server is a replica of. */
export interface ClusterPlan {
  /** Where its engine is. */
  readonly url: string;
  readonly name: string;
  /** The name of this replica; made up when absent. */
  readonly replica?: string;
  /** Where the others reach its management port; found out when absent. */
  readonly replicaUrl?: string;
  /**
   * Who has what clients store: `replica`: each replica for itself. Else one for all, and the next one begins with the configuration, as when absent
   * and with `empty`, or with the last copy, with `snapshot`.
   */
  readonly data?: 'empty' | 'snapshot' | 'replica';
  /** Where it takes connections that others hand over, at the host of the management port; a free port when absent. */
  readonly handOverPort?: number;
}

/** The process of several that serve the same ports which a server is. */
export interface WorkerPlan {
  readonly end: WorkerEnd;
  /** Reads the configuration again; absent until the server runs. */
  reload?: () => Promise<void>;
  /** Whether it was to be read before that. */
  isOutdated?: boolean;
}

/** What a server is made of. */
export interface ServerPlan {
  readonly host: Omit<HostOptions, 'protocols'>;
  readonly api: ApiSettings & { readonly host: string; readonly port: number };
  /** Where the API of Toxiproxy listens; absent: nowhere. */
  readonly toxiproxy?: ListenAddress;
  /** Absent for a server that is alone. */
  readonly cluster?: ClusterPlan;
  /** Absent for a server that is one process. */
  readonly worker?: WorkerPlan;
  readonly tls: CertificateSettings;
  readonly webhooks: WebhookSettings;
}

/** Further ports of a block as free ones. */
function freeMounts(block: unknown): object {
  const { mounts } = (block ?? {}) as { readonly mounts?: readonly { readonly port?: number }[] };
  if (mounts === undefined) return {};
  return { mounts: mounts.map((mount) => (mount.port === undefined ? mount : { ...mount, port: 0 })) };
}

const DEFAULT_API_PORT = 9091;

/**
 * Puts flags and environment over a file's settings. Without a file every installed kind is started, with no mocks.
 *
 * @throws CommandError when a kind that is named is not installed
 */
export function planServer(
  file: FileSettings | undefined,
  protocols: readonly Protocol[],
  overrides: Overrides,
): ServerPlan {
  const installed = protocols.map(({ kind }) => kind);
  const ports = overrides.ports ?? new Map<string, number>();
  for (const kind of [...(overrides.only ?? []), ...ports.keys()]) {
    if (!installed.includes(kind)) throw new CommandError(describeMissing(kind, installed));
  }
  const blocks = protocols.flatMap(({ kind }) => {
    const own = file?.protocols?.[kind];
    const port = ports.get(kind);
    const isWanted =
      overrides.only?.includes(kind) ?? (own !== undefined || file === undefined || port !== undefined);
    if (own === undefined && !isWanted) return [[kind, { enabled: false }]];
    // What listens for it has these settings.
    const sharesListener = (own as { readonly share?: unknown } | undefined)?.share !== undefined;
    const block = {
      ...own,
      ...(isWanted ? {} : { enabled: false }),
      ...(sharesListener || overrides.host === undefined ? {} : { host: overrides.host }),
      ...(overrides.freePorts === true && !sharesListener ? { port: 0, ...freeMounts(own) } : {}),
      ...(port === undefined ? {} : { port }),
    };
    return [[kind, block]];
  });
  const host = overrides.host ?? file?.host ?? 'localhost';
  const { scenarios, reactions, state, collections, vars, keys, logs, functions, spaces } = file ?? {};
  const seed = overrides.seed ?? file?.seed;
  const token = overrides.token ?? tokenOf(file?.api);
  const toxiproxyPort = overrides.toxiproxyPort ?? file?.toxiproxy?.port;
  return {
    host: {
      settings: Object.fromEntries(blocks) as NonNullable<HostOptions['settings']>,
      ports: 'default',
      host,
      ...(scenarios === undefined ? {} : { scenarios }),
      ...(reactions === undefined ? {} : { reactions }),
      ...(state === undefined ? {} : { state }),
      ...(collections === undefined ? {} : { collections }),
      ...(vars === undefined ? {} : { vars }),
      ...(keys === undefined ? {} : { keys }),
      ...(logs === undefined ? {} : { logs }),
      ...(functions === undefined ? {} : { functions }),
      ...(spaces === undefined ? {} : { spaces }),
      ...(seed === undefined ? {} : { seed }),
    },
    api: {
      ...withoutFile(file?.api),
      host: overrides.host ?? file?.api?.host ?? host,
      port: overrides.apiPort ?? (overrides.freePorts === true ? 0 : (file?.api?.port ?? DEFAULT_API_PORT)),
      ...(token === undefined ? {} : { token }),
      ...(overrides.ui === undefined ? {} : { ui: overrides.ui }),
    },
    ...(toxiproxyPort !== undefined && {
      toxiproxy: {
        // Its clients know no token, so that it would be a way around it for others.
        host: token === undefined ? host : 'localhost',
        port: overrides.toxiproxyPort ?? (overrides.freePorts === true ? 0 : toxiproxyPort),
      },
    }),
    ...(overrides.cluster === undefined ? {} : { cluster: overrides.cluster }),
    ...(overrides.worker === undefined ? {} : { worker: overrides.worker }),
    tls: file?.tls ?? {},
    webhooks: file?.webhooks ?? {},
  };
}

/** @throws CommandError when both are given, or the file holds no token */
function tokenOf({ token, token_file: file }: ApiSettings = {}): string | undefined {
  if (file === undefined) return token;
  if (token !== undefined) throw new CommandError('api has token and token_file; give one of them');
  return readToken(file, 'api.token_file');
}

function withoutFile({ token_file: _, ...others }: ApiSettings = {}): Omit<ApiSettings, 'token_file'> {
  return others;
}

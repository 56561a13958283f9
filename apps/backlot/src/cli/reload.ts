import { isBacklotError } from '@backlot/core';
import type { TlsSettings } from '@backlot/core/plugin';
import { dirname, join } from 'node:path';
import { FileWatch, lookAt, type Seen, type WatchedFiles } from '../config/watch-files.js';
import { ConfigError } from '../config/problem.js';
import type { FileSettings } from '../config/settings.js';
import type { ServerPlan } from '../server/plan.js';
import { PartlyTaken, type Reloaded, type RunningServer } from '../server/start-server.js';
import { CommandError } from './command-error.js';
import type { LoadedConfig } from './load-config.js';
import type { ServerLog } from './server-log.js';

/** What reloading needs. */
export interface ReloadParts {
  /** The configuration as it was read at the start. */
  readonly config: LoadedConfig;
  /** What {@link seenNow} gave when it was read; only for {@link Reload.watch}. */
  readonly seen: Seen;
  readonly log: ServerLog;
  readonly load: () => Promise<LoadedConfig>;
  /** Takes a configuration. @throws what {@link RunningServer.reload} throws */
  readonly take: (config: LoadedConfig) => Promise<Taken>;
  /** What starts with another configuration. */
  readonly taken: (config: LoadedConfig) => void;
}

/** What was done with a configuration. */
export interface Taken {
  /** For people. */
  readonly lines: readonly string[];
  /** The names of settings that differ and count at a start. */
  readonly atStart: readonly string[];
}

/** Lets a running server take configurations. */
export function takeInto(
  server: RunningServer,
  plan: (config: LoadedConfig) => ServerPlan,
): ReloadParts['take'] {
  return async (config) => {
    const done = await server.reload(plan(config), config.protocols);
    return { lines: describeReload(done, server), atStart: done.atStart };
  };
}

const NOTHING: WatchedFiles = { files: [], folders: [] };

/** Reads the configuration of a running server again. */
export class Reload {
  readonly #parts: ReloadParts;
  #config: LoadedConfig;
  #last: Promise<unknown> = Promise.resolve();
  #watch: FileWatch | undefined;
  /** What was read of a configuration that could not be taken. */
  #failed: WatchedFiles = NOTHING;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#config = parts.config;
  }

  /** Reads it again whenever files have changed. */
  watch(): void {
    this.#watch = new FileWatch(
      watchedOf(this.#config),
      this.#parts.seen,
      async () => {
        await this.now();
        const { files, folders } = watchedOf(this.#config);
        // What could not be taken is mended there.
        return { files: [...files, ...this.#failed.files], folders: [...folders, ...this.#failed.folders] };
      },
      (text) => this.#say('warn', text),
    );
  }

  /** Reads it again, once what is being read has been taken. It never fails: what goes wrong is a line of the log. */
  now(): Promise<void> {
    const done = this.#last.then(() => this.#reload());
    this.#last = done;
    return done;
  }

  close(): void {
    this.#watch?.close();
  }

  async #reload(): Promise<void> {
    const { load, take, taken } = this.#parts;
    try {
      const config = await load();
      const { lines, atStart } = await take(config);
      this.#config = config;
      this.#failed = NOTHING;
      taken(config);
      for (const line of lines) this.#say('info', line);
      for (const name of atStart)
        this.#say('warn', `${name} counts at a start; restart the server to take it`);
    } catch (error) {
      this.#failed = error instanceof ConfigError ? error.read : NOTHING;
      for (const line of linesOf(error)) this.#say('error', line);
      this.#say(
        'error',
        error instanceof PartlyTaken
          ? 'the rest of the configuration was taken'
          : 'the configuration was not taken; what ran before goes on',
      );
    }
  }

  #say(level: 'info' | 'warn' | 'error', text: string): void {
    this.#parts.log({ level, kind: 'config', text });
  }
}

/** What stands in the files of a configuration now, to be compared. */
export function seenNow(config: LoadedConfig): Seen {
  return lookAt(watchedOf(config));
}

/** What is looked at of a configuration. */
function watchedOf({ files, folders, bodies, services, settings }: LoadedConfig): WatchedFiles {
  const others = services
    .filter(({ isOwn }) => !isOwn)
    .map(({ definition: { folder, source } }) => join(folder, source.file));
  return {
    files: [...files, ...bodies, ...others, ...certificateFiles(settings)],
    folders: [...folders, ...bodies.map(dirname)],
  };
}

/** The files that ports have their certificates from. */
function certificateFiles({ api, protocols = {} }: FileSettings = {}): readonly string[] {
  // The blocks of the kinds were checked; all that have TLS have it alike.
  const blocks = [api, ...Object.values(protocols)] as readonly (
    { readonly tls?: TlsSettings } | undefined
  )[];
  const files = blocks.flatMap(({ tls = {} } = {}) => [tls.cert_file, tls.key_file, tls.client_ca]);
  return [...new Set(files.filter((file) => file !== undefined))];
}

/** What was wrong with a configuration that was not taken, a line for each thing. */
export function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.lines;
  if (isBacklotError(error)) {
    const details = (error.details ?? []).map(({ path, message }) => `${path}: ${message}`);
    return details.length === 0 ? [error.message] : details;
  }
  if (error instanceof CommandError) return [error.message];
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

/** What a reload did, a line for each part; one line when nothing has changed. */
function describeReload(
  { parts, services, taken, management, hasNewCertificate }: Reloaded,
  { host, apiUrl }: RunningServer,
): string[] {
  const lines = [
    ...services.map(({ kind, did }) => {
      if (did === 'renewed') return `${kind} has read its certificates anew`;
      const url = host.kind(kind).url;
      return did === 'stopped' || url === undefined ? `${kind} ${did}` : `${kind} ${did}: ${url}`;
    }),
    ...parts.map(({ part, name, added, changed, removed }) => {
      const what = name === undefined ? part : part === 'mocks' ? `${name} ${part}` : name;
      const counts = [listed(added, 'added'), listed(changed, 'changed'), listed(removed, 'removed')];
      return `${what}: ${counts.filter((text) => text !== '').join(', ')}`;
    }),
    ...taken.map((name) => `${name} taken`),
    ...(management === 'moved' ? [`the management port is at ${apiUrl}`] : []),
    ...(management === 'renewed' ? ['settings of the management port taken'] : []),
    ...(hasNewCertificate ? ['the management port has read its certificates anew'] : []),
  ];
  return lines.length === 0 ? ['read again; nothing has changed'] : lines;
}

const MOST_NAMES = 5;

function listed(ids: readonly string[], did: string): string {
  if (ids.length === 0) return '';
  const more = ids.length > MOST_NAMES ? ', ...' : '';
  return `${ids.length} ${did} (${ids.slice(0, MOST_NAMES).join(', ')}${more})`;
}

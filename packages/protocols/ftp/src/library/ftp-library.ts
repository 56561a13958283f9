import { invalid } from '@backlot/core/plugin';
import type { CommandChannel } from './command-channel.js';

/** What ftp-srv keeps of one client, as far as it is used here; its own types leave most of it out. */
interface LibraryConnection {
  authenticated?: boolean;
  readonly commands: { handle(line: string): PromiseLike<unknown> };
  login(username: string, password: string): PromiseLike<void>;
}

interface LibraryServer {
  /** Where it would listen: it takes sockets that were accepted elsewhere, too. */
  readonly server: { emit(event: 'connection', socket: CommandChannel): boolean };
  connections: Record<string, unknown>;
  disconnectClient: () => PromiseLike<void>;
  on(event: 'connect', listener: (data: { connection: LibraryConnection }) => void): this;
  on(event: 'login', listener: OnLogin): this;
  off(event: 'connect', listener: (data: { connection: LibraryConnection }) => void): this;
}

type OnLogin = (
  login: { readonly username: string; readonly password: string },
  resolve: (settings: object) => void,
  reject: (error: Error) => void,
) => void;

type LibraryClass = new (options: object) => LibraryServer;

/** One client as the library keeps it. */
export interface LibraryClient {
  /** Checks a login. @throws Error when it is refused */
  login(username: string, password: string): Promise<void>;
  /** Forgets the login. */
  logOut(): void;
  /** Answers a line of the protocol; resolves when it is answered. */
  handle(line: string): Promise<void>;
}

/** The library with its traps disarmed. */
export interface FtpLibrary {
  /** Begins a session: greets the client. */
  open(channel: CommandChannel): LibraryClient;
}

/** Signals whose listeners in the library end the process. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const;

interface SilentLog {
  readonly child: () => SilentLog;
  readonly trace: () => void;
  readonly debug: () => void;
  readonly info: () => void;
  readonly warn: () => void;
  readonly error: () => void;
}

const silent: SilentLog = {
  child: () => silent,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
};

/**
 * Loads ftp-srv and makes a server of it that listens nowhere.
 *
 * @param isAllowed - whether a name and a password may log in
 */
export async function loadLibrary(
  isAllowed: (username: string, password: string) => boolean,
): Promise<FtpLibrary> {
  const { FtpSrv } = (await import('ftp-srv')) as unknown as { FtpSrv: LibraryClass };
  const server = withoutSignals(
    () => new FtpSrv({ log: silent, url: 'ftp://127.0.0.1:0', greeting: ['Backlot FTP'], anonymous: false }),
  );
  // Its own leaves a timer of a second behind for each client.
  server.disconnectClient = () => Promise.resolve();
  server.on('login', ({ username, password }, resolve, reject) => {
    if (isAllowed(username, password)) resolve({ fs: {} });
    else reject(new Error('login incorrect'));
  });
  return { open: (channel) => open(server, channel) };
}

function open(server: LibraryServer, channel: CommandChannel): LibraryClient {
  let found: LibraryConnection | undefined;
  const take = (data: { connection: LibraryConnection }): void => {
    found = data.connection;
  };
  server.on('connect', take);
  server.server.emit('connection', channel);
  server.off('connect', take);
  // It would count all clients whenever one comes or goes.
  server.connections = {};
  const connection = found;
  if (connection === undefined) throw invalid('ftp-srv took no connection; version 4.6.3 is needed');
  return {
    // Its promises are bluebird's, which would report a rejection that nobody handles to the process.
    login: async (username, password) => connection.login(username, password),
    logOut: () => {
      connection.authenticated = false;
    },
    handle: async (line) => {
      await connection.commands.handle(line);
    },
  };
}

/** Makes something, and takes away the listeners for signals that it has added. */
function withoutSignals<T>(make: () => T): T {
  const before = new Map(SIGNALS.map((signal) => [signal, new Set(process.listeners(signal))]));
  const made = make();
  for (const [signal, listeners] of before) {
    for (const listener of process.listeners(signal)) {
      if (!listeners.has(listener)) process.off(signal, listener);
    }
  }
  return made;
}

function ignore(): void {
  // What the library logs is about single clients; the journal has what matters.
}

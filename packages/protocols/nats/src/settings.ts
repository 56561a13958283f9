import { invalid, parseDuration, checkAt, type SpaceDoors, type ValueOf } from '@backlot/core/plugin';
import { checkJetStream, readJetStreamSettings, type JetStreamSettings } from './jetstream/configured.js';
import type { ConfigSchema } from './schemas.js';
import type { ConnectOptions } from './wire/connect-options.js';

const DEFAULT_MAX_PAYLOAD = 1024 * 1024;
const DEFAULT_MAX_CONTROL_LINE = 4096;
const DEFAULT_MAX_SUBSCRIPTIONS = 50_000;
const DEFAULT_MAX_PENDING = 64 * 1024 * 1024;
const DEFAULT_PING_INTERVAL = '2m';
const DEFAULT_PING_MAX = 2;

type Config = ValueOf<typeof ConfigSchema>;

/** The configuration with defaults, in the units that are used. */
export interface Settings {
  readonly users: Config['users'];
  readonly maxPayload: number;
  readonly maxControlLine: number;
  readonly maxPending: number;
  /** Of one connection. */
  readonly maxSubscriptions: number;
  /** Milliseconds. */
  readonly pingInterval: number;
  readonly pingMax: number;
  /** Absent where it is switched off. */
  readonly jetstream: JetStreamSettings | undefined;
  /** The spaces that clients may name. */
  readonly spaces: SpaceDoors;
  /** Whether a client may log in with what its CONNECT says. */
  mayLogIn(options: ConnectOptions): boolean;
  /** Whether a fault refuses the login that has come; a promise of that when it delays it. */
  rollLogin(): boolean | Promise<boolean>;
  /** Told of a client that was cut because it did not read. */
  onSlowConsumer(remote: string): void;
}

/** Fills in defaults. */
export function readSettings(
  config: Config,
  { spaces, rollLogin, onSlowConsumer }: Pick<Settings, 'spaces' | 'rollLogin' | 'onSlowConsumer'>,
): Settings {
  const { users } = config;
  return {
    users,
    maxPayload: config.max_payload ?? DEFAULT_MAX_PAYLOAD,
    maxControlLine: config.max_control_line ?? DEFAULT_MAX_CONTROL_LINE,
    maxPending: config.max_pending ?? DEFAULT_MAX_PENDING,
    maxSubscriptions: config.max_subscriptions ?? DEFAULT_MAX_SUBSCRIPTIONS,
    pingInterval: parseDuration(config.ping_interval ?? DEFAULT_PING_INTERVAL),
    pingMax: config.ping_max ?? DEFAULT_PING_MAX,
    jetstream: readJetStreamSettings(config.jetstream),
    mayLogIn: ({ username, password, token }) =>
      users === undefined ||
      users.some((user) =>
        user.token === undefined
          ? user.username === username && (user.password ?? '') === password
          : user.token === token,
      ),
    spaces,
    rollLogin,
    onSlowConsumer,
  };
}

/**
 * Checks what the schema cannot.
 *
 * @throws BacklotError `invalid`
 */
export function checkSettings(config: Config): void {
  const { users = [], ping_interval: pingInterval } = config;
  users.forEach(({ username, password, token }, index) => {
    checkAt(`/users/${index}`, () => {
      const isToken = token !== undefined && username === undefined && password === undefined;
      const isName = token === undefined && username !== undefined && password !== undefined;
      if (!isToken && !isName) {
        throw invalid('a user needs either a `token`, or a `username` and a `password`');
      }
    });
  });
  if (pingInterval !== undefined) checkAt('/ping_interval', () => parseDuration(pingInterval));
  checkJetStream(config.jetstream);
  const maxPayload = config.max_payload ?? DEFAULT_MAX_PAYLOAD;
  const maxPending = config.max_pending ?? DEFAULT_MAX_PENDING;
  if (maxPending < 2 * maxPayload) {
    checkAt('/max_pending', () => {
      throw invalid(`is ${maxPending}; it must be at least twice \`max_payload\`, ${2 * maxPayload}`);
    });
  }
}

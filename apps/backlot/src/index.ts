// For programs that start a server as the command does.
export { ConfigError, type ConfigProblem, type Place } from './config/problem.js';
export { loadConfig, type LoadedConfig } from './cli/load-config.js';
export type {
  ApiSettings,
  ApiTlsSettings,
  CertificateSettings,
  FileSettings,
  WebhookSettings,
} from './config/settings.js';
export type { Plugin } from './plugins/plugin.js';
export { readHost, readHostOptions, type HostSources, type ReadHost } from './server/host-options.js';
export { planServer, type Overrides, type ServerPlan } from './server/plan.js';
export { startServer, type RunningServer, type ServerOptions } from './server/start-server.js';

import type { HostSettings } from '@backlot/core';
import type { ValueOf } from '@backlot/core/plugin';
import type { ApiSchema } from './schema.js';

/** The settings of the management port, as a file has them. */
export type ApiSettings = ValueOf<typeof ApiSchema>;

/** The settings of outbound calls, as a file has them. */
export interface WebhookSettings {
  readonly enabled?: boolean;
  readonly allow_hosts?: readonly string[];
}

/** A configuration file's settings, checked. */
export interface FileSettings extends HostSettings {
  readonly api?: ApiSettings;
  readonly webhooks?: WebhookSettings;
}

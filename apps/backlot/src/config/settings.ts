import type { HostOptions, Json } from '@backlot/core';

/** TLS for the management port, as a file has it. */
export interface ApiTlsSettings {
  readonly enabled?: boolean;
  /** PEM files, absolute. */
  readonly cert_file?: string;
  readonly key_file?: string;
  readonly self_signed?: boolean;
  /** PEM file, absolute. */
  readonly client_ca?: string;
}

/** The settings of the management port, as a file has them. */
export interface ApiSettings {
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  /** A file with the token, absolute. */
  readonly token_file?: string;
  readonly allowed_hosts?: readonly string[];
  readonly cors?: { readonly allowed_origins?: readonly string[] };
  readonly tls?: ApiTlsSettings;
  readonly max_body_bytes?: number;
  readonly ui?: boolean;
}

/** What the made certificate is for, as a file has it. */
export interface CertificateSettings {
  readonly hosts?: readonly string[];
  /** A folder, absolute. */
  readonly keep?: string;
}

/** The settings of outbound calls, as a file has them. */
export interface WebhookSettings {
  readonly enabled?: boolean;
  readonly allow_hosts?: readonly string[];
}

/** A configuration file's settings, checked. */
export interface FileSettings extends Pick<
  HostOptions,
  | 'scenarios'
  | 'reactions'
  | 'state'
  | 'collections'
  | 'vars'
  | 'keys'
  | 'logs'
  | 'functions'
  | 'spaces'
  | 'seed'
  | 'host'
> {
  /** Patterns of further files, which are part of the settings already. */
  readonly include?: readonly string[];
  /** By kind. */
  readonly protocols?: Readonly<Record<string, Json | undefined>>;
  readonly api?: ApiSettings;
  readonly toxiproxy?: { readonly port: number };
  readonly tls?: CertificateSettings;
  readonly webhooks?: WebhookSettings;
}

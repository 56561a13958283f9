/** The services whose signatures a webhook can have; `standard` is that of Standard Webhooks. */
export type WebhookScheme = 'stripe' | 'github' | 'slack' | 'twilio' | 'standard';

/** A request to send as it is, as `POST /api/webhooks/send` takes it. */
export interface WebhookSend {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Adds the signature of a service; the secret is taken as it is. */
  readonly sign?: { readonly scheme: WebhookScheme; readonly secret: string };
}

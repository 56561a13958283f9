import type { Template, TemplateScope } from '../templates/template.js';
import type { Clock } from '../time/clock.js';
import type { Log } from './log.js';
import { Type } from './schema.js';
import type { WebhookScheme, WebhookSend } from './webhook-send.js';

/** How a webhook is signed, as the receivers of these services expect it. */
export const WebhookSignSchema = Type.Object(
  {
    scheme: Type.Union(
      [
        Type.Literal('stripe'),
        Type.Literal('github'),
        Type.Literal('slack'),
        Type.Literal('twilio'),
        Type.Literal('standard'),
      ],
      {
        description:
          '`stripe`: Stripe-Signature. `github`: X-Hub-Signature-256. `slack`: X-Slack-Signature. `twilio`: X-Twilio-Signature. `standard`: Standard Webhooks, webhook-signature.',
      },
    ),
    secret: Type.String({
      minLength: 1,
      description: 'What the receiver checks with, as its service shows it, such as `whsec_...`; a template.',
    }),
  },
  { additionalProperties: false, description: 'Adds the signature of a service to each attempt.' },
);

/** A webhook definition, as a mock carries it. */
export const WebhookSchema = Type.Object(
  {
    url: Type.String({ minLength: 1, description: 'The absolute url to send it to; a template.' }),
    method: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'POST',
        examples: ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'],
        description: 'The request method.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Header values are templates; `webhook.url` and `webhook.body` are what is sent.',
      }),
    ),
    body: Type.Optional(Type.String({ description: 'The request body; a template.' })),
    sign: Type.Optional(WebhookSignSchema),
    delay: Type.Optional(Type.String({ description: 'Waits this long before sending; at most 1h.' })),
    retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        default: 0,
        description: 'Further attempts after a failure or a 5xx.',
      }),
    ),
    retry_delay: Type.Optional(
      Type.String({ description: 'Waits this long between attempts; 1s when absent, at most 1h.' }),
    ),
  },
  { additionalProperties: false },
);

export type { WebhookSend } from './webhook-send.js';
export type { WebhookDefinition } from './fields.generated.js';

/** How a webhook is signed. */
export interface CompiledWebhookSign {
  readonly scheme: WebhookScheme;
  readonly secret: Template;
}

/**
 * A webhook definition whose templates are compiled, as `tools.webhooks` makes it. Times are milliseconds of virtual
 * time.
 */
export interface CompiledWebhook {
  readonly url: Template;
  readonly method: string;
  readonly headers: readonly (readonly [string, Template])[];
  readonly body: Template | undefined;
  readonly sign: CompiledWebhookSign | undefined;
  readonly delay: number;
  readonly retries: number;
  readonly retryDelay: number;
}

/** What made a webhook fire. */
export interface WebhookCause {
  /** The kind whose mock matched. */
  readonly protocol: string;
  readonly mockId: string;
  /** The values for the templates. */
  readonly scope: TemplateScope;
  /** Headers by which the webhook belongs to the trace of the message; those of its definition win. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** The id of the message's journal entry; `undefined` until the entry appears. */
  logId(): string | undefined;
}

/** One attempt to send a webhook, as the history shows it. */
export interface WebhookAttempt {
  readonly id: string;
  readonly mock_id?: string;
  readonly log_id?: string;
  readonly protocol: string;
  readonly timestamp: string;
  readonly url: string;
  readonly method: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_body?: string;
  readonly status_code?: number;
  readonly response_body?: string;
  readonly error?: string;
  readonly attempt: number;
  readonly duration_ms: number;
}

/**
 * Sends webhooks. Core has this interface only; the sender itself is a package of its own, which an embedder without
 * webhooks need not install.
 */
export interface WebhookSender {
  /** Whether sending is allowed. When it is not, webhooks of mocks are skipped and `send` is refused. */
  readonly enabled: boolean;
  /** Starts webhooks in the background. It neither throws nor waits. */
  fire(webhooks: readonly CompiledWebhook[], cause: WebhookCause): void;
  /**
   * Sends one request as it is, once, and resolves with what came of it.
   *
   * @throws BacklotError `invalid` when the url is no absolute http(s) url, or the secret cannot be one; `not_enabled` when sending is off
   */
  send(request: WebhookSend): Promise<WebhookAttempt>;
  /** The newest 1,000 attempts, oldest first. */
  history(): readonly WebhookAttempt[];
  /**
   * Calls back with each attempt that has ended; a sender without it tells nobody.
   *
   * @returns a function that ends it
   */
  onAttempt?(listener: (attempt: WebhookAttempt) => void): () => void;
  /** Forgets the history. */
  clear(): void;
  /** Cancels webhooks that wait to be sent and forgets the history. Attempts under way are not recorded. */
  reset(): void;
  /** Cancels everything and frees timers and sockets. */
  stop(): Promise<void>;
}

/** What a sender is given of its host. */
export interface WebhookHost {
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the sender of a host. */
export type WebhookFactory = (host: WebhookHost) => WebhookSender;

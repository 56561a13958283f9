import type { ExchangeFor, OutcomeFor, Shape } from '@backlot/core/plugin';
import type { MailMessage } from './message.js';
import type { CompiledRule } from './matcher.js';
import type { RuleIndex } from './mock-index.js';
import type { ConfigSchema, FaultSchema, MailSchema, RuleSchema } from './schemas.js';

/** The protocol as types. */
export interface SmtpShape extends Shape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof RuleSchema;
  readonly compiled: CompiledRule;
  readonly message: MailMessage;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof MailSchema;
  readonly index: RuleIndex;
}

/** A mail transaction on its way. */
export type SmtpExchange = ExchangeFor<SmtpShape>;
/** What became of it. */
export type SmtpOutcome = OutcomeFor<SmtpShape>;

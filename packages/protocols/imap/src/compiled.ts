import type { CompiledMock, TemplateScope } from '@backlot/core/plugin';
import type { MailContent } from './mail/content.js';
import type { ImapMessage } from './message.js';

/** A message of a mock. */
export interface CompiledMessage {
  /** The same for messages that are spelled alike. */
  readonly key: string;
  readonly uid: number | undefined;
  readonly flags: readonly string[];
  /** In ms since 1970. */
  readonly date: number | undefined;
  /** @param now - its date when it has none of its own */
  makeContent(scope: TemplateScope, now: number): MailContent;
}

/** A compiled mailbox. */
export interface CompiledMailbox extends CompiledMock<ImapMessage> {
  /** Canonical. */
  readonly name: string;
  /** In the order of their sequence numbers. */
  readonly messages: readonly CompiledMessage[];
  /** Whether it can be as if absent without having changed. */
  readonly isConditional: boolean;
}

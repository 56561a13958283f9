import type { CompileTools, Match, Template } from '@backlot/core/plugin';

type Action = 'accept' | 'reject' | 'defer';

/** A reply of one line: a code and a text (RFC 5321, 4.2). */
export interface Reply {
  readonly code: number;
  readonly text: string;
  /** Whether it says that there is no reply of the upstream. */
  readonly isOwn?: boolean;
}

/** RFC 5321, section 4.2.3: a local error in processing. */
export const FAILED: Reply = { code: 451, text: 'the server has failed' };
/** What comes when the transaction was given up meanwhile. */
export const NO_TRANSACTION: Reply = { code: 503, text: 'no mail is under way' };

/** A mail of more bytes than are taken. */
export function tooLarge(limit = 0): Reply {
  return { code: 552, text: `message exceeds the maximum of ${limit} bytes` };
}

/** The text of a rule's reply, and what it may begin with. */
export interface CompiledReply {
  readonly action: Action;
  readonly template: Template;
  /** Where the text never changes. */
  readonly constant: Reply | undefined;
}

/** A code, and perhaps an enhanced code and a text behind it. */
const CODED = /^([2-5]\d\d)(?:[ -]+([^]*))?$/;

const LIMITS: Readonly<Record<Action, { code: number; from: number; to: number; words: string }>> = {
  accept: { code: 250, from: 250, to: 250, words: '250' },
  reject: { code: 550, from: 400, to: 599, words: 'a code from 400 to 599' },
  defer: { code: 451, from: 400, to: 499, words: 'a code from 400 to 499' },
};

const TEXTS: Readonly<Partial<Record<Action, string>>> = {
  reject: 'Message rejected',
  defer: 'Message deferred, try again later',
};

/**
 * Compiles the reply of a rule. A code that the action cannot have is noted as a problem.
 *
 * @returns undefined for a mail that is accepted without a text of the rule's own
 */
export function compileReply(
  action: Action,
  message: string | undefined,
  tools: CompileTools,
): CompiledReply | undefined {
  if (message === undefined && action === 'accept') return undefined;
  const template = tools.template(message ?? TEXTS[action] ?? '', '/message', {
    target: 'text',
  });
  const code = Number(CODED.exec(message ?? '')?.[1] ?? 0);
  const { from, to, words } = LIMITS[action];
  if (code !== 0 && (code < from || code > to))
    tools.problem(
      '/message',
      `"${clip(message ?? '')}" begins with ${code}; action ${action} answers ${words}`,
    );
  const constant = template.constant ? splitReply(action, template.source) : undefined;
  return { action, template, constant };
}

/** The reply to a mail that the rule matched. */
export function renderReply(reply: CompiledReply, match: Pick<Match, 'render'>): Reply {
  return reply.constant ?? splitReply(reply.action, match.render(reply.template));
}

/** Takes the code from the beginning of a text; one that the action cannot have stays a part of the text. */
function splitReply(action: Action, source: string): Reply {
  const { code, from, to } = LIMITS[action];
  // One line: what follows a line end would be read as the reply to the next command.
  const line = source.replace(/[\x00-\x1f\x7f]+/g, ' ').trim();
  const parts = CODED.exec(line);
  const given = Number(parts?.[1] ?? 0);
  return given < from || given > to ? { code, text: line } : { code: given, text: parts?.[2] ?? '' };
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

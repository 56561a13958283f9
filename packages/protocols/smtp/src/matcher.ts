import {
  LATER,
  testAny,
  type CompiledMock,
  type CompileTools,
  type FunctionName,
  type PatternSource,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import { compileContents } from './contents.js';
import { addressHint, textHint, type Hint } from './hints.js';
import { Question, type MailMessage } from './message.js';
import { compileReply, type CompiledReply } from './reply.js';
import type { RuleSchema } from './schemas.js';

/** A compiled rule. */
export interface CompiledRule extends CompiledMock<MailMessage> {
  readonly action: 'accept' | 'reject' | 'defer';
  /** Absent: an accepting rule without a text of its own. */
  readonly reply: CompiledReply | undefined;
  /** Whether it can refuse a recipient before the data has come. */
  readonly refusesEarly: boolean;
  /** Whether it may ask for the texts of a mail. */
  readonly asksForTexts: boolean;
  /** What the index finds the rule by. */
  readonly fromHint: Hint | undefined;
  readonly toHint: Hint | undefined;
  readonly subjectHint: Hint | undefined;
}

/** Compiles a rule. */
export function compileRule(
  rule: ValueOf<typeof RuleSchema> & { readonly respond?: FunctionName },
  tools: CompileTools,
): CompiledRule {
  const from = tools.pattern(rule.from, '/from', { caseInsensitive: true });
  const to = tools.pattern(rule.to, '/to', { caseInsensitive: true });
  const subject = tools.pattern(rule.subject, '/subject');
  const contents = compileContents(rule, tools);
  const needsData = !subject.any || contents !== undefined;
  const action = rule.action ?? 'accept';
  const decide = (message: MailMessage): TestResult => {
    if (!from.any && !from.test(message.from, message))
      return () => from.reason('from', message.from, message);
    const { recipients } = message;
    if (!to.any) {
      if (recipients === undefined) return LATER;
      if (!testAny(to, recipients, message)) return () => to.reason('to', recipients.join(', '), message);
    }
    // A function sees the whole mail.
    if (!needsData && rule.respond === undefined) return true;
    if (!message.isComplete) return LATER;
    if (!subject.any && !subject.test(message.subject, message))
      return () => subject.reason('subject', message.subject, message);
    return contents === undefined || contents(message);
  };
  return {
    action,
    reply: compileReply(action, rule.message, tools),
    asksForTexts:
      ![rule.text, rule.html].every(isAny) ||
      rule.respond !== undefined ||
      rule.message?.includes('{{') === true,
    refusesEarly: action !== 'accept' && !needsData,
    fromHint: hintOf(rule.from, addressHint),
    toHint: hintOf(rule.to, addressHint),
    subjectHint: hintOf(rule.subject, textHint),
    test(message) {
      if (!(message instanceof Question)) return decide(message);
      if (message.isRefused !== undefined) return 'another rule is first';
      const result = decide(message);
      if (result !== true && result !== LATER) return result;
      message.isRefused = result === true && action !== 'accept';
      return true;
    },
  };
}

function isAny(source: PatternSource | undefined): boolean {
  return source === undefined || source === '';
}

function hintOf(
  source: PatternSource | undefined,
  make: (source: PatternSource) => Hint | undefined,
): Hint | undefined {
  return source === undefined || isAny(source) ? undefined : make(source);
}

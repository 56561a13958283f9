import {
  compileHeaders,
  forgetCaptures,
  markCaptures,
  pointTo,
  type CompileTools,
  type Miss,
  type Pattern,
  type ValueOf,
} from '@backlot/core/plugin';
import type { MailMessage } from './message.js';
import type { Mail, RuleSchema } from './schemas.js';

/** Whether what a mail holds is what a rule asks for. The data must have come. */
export type ContentsCondition = (message: MailMessage) => true | Miss;

type Rule = ValueOf<typeof RuleSchema>;
type Attached = Mail['attachments'][number];

/**
 * Compiles what a rule asks of the contents of a mail. A mail is decoded when the first rule that asks for more than its
 * subject is tested.
 *
 * @returns undefined when any contents match
 */
export function compileContents(rule: Rule, tools: CompileTools): ContentsCondition | undefined {
  // Cheap ones first.
  const conditions = [
    compileFields(rule, tools),
    compileAttachments(rule, tools),
    compileText('text', rule, tools, (message) => message.textOf('text')),
    compileText('html', rule, tools, (message) => message.textOf('html')),
    compileText('body', rule, tools, (message) => message.source),
  ].filter((condition) => condition !== undefined);
  if (conditions.length === 0) return undefined;
  return (message) => {
    for (const condition of conditions) {
      const result = condition(message);
      if (result !== true) return result;
    }
    return true;
  };
}

function compileFields(rule: Rule, tools: CompileTools): ContentsCondition | undefined {
  const fits = compileHeaders(rule.headers, tools, '/headers');
  return fits && ((message) => fits(message.headers, message));
}

function compileText(
  field: 'text' | 'html' | 'body',
  rule: Rule,
  tools: CompileTools,
  textOf: (message: MailMessage) => string | undefined,
): ContentsCondition | undefined {
  const pattern = tools.pattern(rule[field], `/${field}`);
  if (pattern.any) return undefined;
  return (message) => {
    const text = textOf(message);
    return pattern.test(text, message) || (() => pattern.reason(field, text, message));
  };
}

/** What one attachment must be. */
interface Wanted {
  readonly at: string;
  readonly fields: readonly { readonly name: keyof Attached; readonly pattern: Pattern }[];
}

function compileAttachments(rule: Rule, tools: CompileTools): ContentsCondition | undefined {
  if (rule.attachments === undefined) return undefined;
  const list = rule.attachments.map((wanted, index): Wanted => {
    const at = pointTo('/attachments', index);
    const pattern = (name: keyof Attached): Wanted['fields'][number] => ({
      name,
      pattern: tools.pattern(wanted[name], pointTo(at, name), { caseInsensitive: name === 'content_type' }),
    });
    return {
      at: `attachments.${index}`,
      fields: [pattern('filename'), pattern('content_type'), pattern('size')].filter(
        (field) => !field.pattern.any,
      ),
    };
  });
  return (message) => {
    const { attachments } = message.contents.parts;
    const missing = list.find(
      ({ fields }) => !attachments.some((each) => missOf(fields, each, message) === undefined),
    );
    return missing === undefined || (() => reasonOf(missing, attachments, message));
  };
}

/** The first field of an attachment that does not match. */
function missOf(
  fields: Wanted['fields'],
  attached: Attached,
  message: MailMessage,
): Wanted['fields'][number] | undefined {
  const mark = markCaptures();
  const missed = fields.find(({ name, pattern }) => !pattern.testValue(attached[name], message));
  if (missed !== undefined) forgetCaptures(mark);
  return missed;
}

/** Shows by how much the nearest attachment fails: that with the most fields as they should be. */
function reasonOf({ at, fields }: Wanted, attachments: readonly Attached[], message: MailMessage): string {
  const [first, ...others] = attachments;
  if (first === undefined) return `${at}: nothing is attached`;
  const matching = (each: Attached): number =>
    fields.filter(({ name, pattern }) => pattern.testValue(each[name], message)).length;
  let nearest = first;
  for (const other of others.slice(0, 20)) if (matching(other) > matching(nearest)) nearest = other;
  const missed = missOf(fields, nearest, message);
  return missed === undefined
    ? `${at}: does not match`
    : missed.pattern.reasonOfValue(`${at}.${missed.name}`, nearest[missed.name], message);
}

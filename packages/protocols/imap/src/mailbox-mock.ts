import { createHash } from 'node:crypto';
import { compileContent, type CompileTools, type Template, type ValueOf } from '@backlot/core/plugin';
import { composeMail, withLineEnds } from '@backlot/kit';
import type { CompiledMailbox, CompiledMessage } from './compiled.js';
import { MailContent } from './mail/content.js';
import { normaliseFlag, uniqueFlags } from './mail/flags.js';
import { canonicalName, nameProblem } from './mail/mailbox-name.js';
import { compileDate, type CompiledDate } from './message-date.js';
import { placeMessages } from './place-messages.js';
import type { MessageFields, MockSchema } from './schemas.js';
import { formatMailDate } from './wire/dates.js';

type Mailbox = ValueOf<typeof MockSchema>;

/** Compiles a mailbox. */
export function compileMailbox(
  mock: Mailbox & {
    readonly id: string;
    readonly state?: unknown;
    readonly times?: number;
    readonly expires?: string;
  },
  tools: CompileTools,
): CompiledMailbox {
  const name = canonicalName(mock.name);
  const problem = nameProblem(name);
  if (problem !== undefined) tools.problem('/name', problem);
  const placed = placeMessages(mock.messages ?? [], tools);
  return {
    name,
    messages: placed.map(({ message, at }) => compileMessage(message, mock.id, at, tools)),
    isConditional: mock.state !== undefined || mock.times !== undefined || mock.expires !== undefined,
  };
}

function compileMessage(
  message: MessageFields,
  mockId: string,
  at: string,
  tools: CompileTools,
): CompiledMessage {
  const { uid, from, to, subject, body, json, raw } = message;
  const date = compileDate(message, at, tools);
  const spelled = [mockId, from, to, subject, body, raw, message.date, ...(json === undefined ? [] : [json])];
  const key = createHash('sha1').update(JSON.stringify(spelled));
  const compiled = {
    key: key.digest('hex'),
    uid,
    flags: compileFlags(message.flags ?? [], at, tools),
    date: date.time,
  };
  const make =
    raw === undefined
      ? letterMaker(message, compiled.key, date, at, tools)
      : rawMaker(message, raw, at, tools);
  if (!make.isConstant) return { ...compiled, makeContent: make.content };
  let content: MailContent | undefined;
  return { ...compiled, makeContent: (scope, now) => (content ??= make.content(scope, now)) };
}

interface Maker {
  /** Whether it makes the same whenever it is asked. */
  readonly isConstant: boolean;
  readonly content: CompiledMessage['makeContent'];
}

function rawMaker(message: MessageFields, raw: string, at: string, tools: CompileTools): Maker {
  for (const field of ['from', 'to', 'subject', 'body', 'json'] as const) {
    if (message[field] === undefined) continue;
    tools.problem(`${at}/${field}`, `raw is the whole message, so there can be no ${field} beside it`);
  }
  if (raw.includes('\0')) tools.problem(`${at}/raw`, 'a message cannot hold NUL');
  const template = tools.template(raw, `${at}/raw`);
  return {
    isConstant: template.constant,
    content: (scope) =>
      new MailContent(Buffer.from(withLineEnds(template.render(scope).replaceAll('\0', '')))),
  };
}

function letterMaker(
  { from, to = [], subject, body, json }: MessageFields,
  key: string,
  { time, field }: CompiledDate,
  at: string,
  tools: CompileTools,
): Maker {
  const line = (text: string, place: string): Template => {
    if (/[\r\n\0]/.test(text)) tools.problem(place, 'a header field cannot hold a line end or NUL');
    return tools.template(text, place, { target: 'text' });
  };
  const fromTemplate = from === undefined ? undefined : line(from, `${at}/from`);
  const subjectTemplate = subject === undefined ? undefined : line(subject, `${at}/subject`);
  const content = compileContent({ text: body, json }, { text: 'body' }, tools, at);
  const toTemplates =
    typeof to === 'string'
      ? [line(to, `${at}/to`)]
      : to.map((each, index) => line(each, `${at}/to/${index}`));
  const templates = [fromTemplate, subjectTemplate, content, ...toTemplates];
  return {
    isConstant:
      (time !== undefined || field !== undefined) &&
      templates.every((template) => template?.constant !== false),
    content: (scope, now) =>
      new MailContent(
        composeMail({
          from: fromTemplate?.render(scope),
          to: toTemplates.map((template) => template.render(scope)),
          subject: subjectTemplate?.render(scope),
          body: content.render(scope),
          isJson: content.isJson,
          date: field ?? formatMailDate(time ?? now),
          messageId: `${key.slice(0, 20)}@backlot`,
        }),
      ),
  };
}

function compileFlags(flags: readonly string[], at: string, tools: CompileTools): readonly string[] {
  const normal = flags.map((flag, index) => {
    const known = normaliseFlag(flag);
    if (known === undefined) {
      tools.problem(
        `${at}/flags/${index}`,
        `${JSON.stringify(flag)} is no flag that a message can have: \\Seen, \\Answered, \\Flagged, \\Deleted, \\Draft, or a keyword (an atom)`,
      );
    }
    return known ?? '';
  });
  return uniqueFlags(normal);
}

import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import {
  exactPattern,
  literal,
  patternOf,
  redactStringSteps,
  redactText,
  type PatternNote,
  type RecordedPair,
} from '@backlot/kit/upstream';
import type { MailMessage } from '../message.js';
import type { Reply } from '../reply.js';

/** A longer mail is not looked through for secrets. */
const MAX_KEPT = 2 * 1024 * 1024;
/** A longer text is not compared. */
const MAX_COMPARED = 64 * 1024;

/** What a recorded rule asks of a mail, or of a recipient. */
export interface RuleMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
}

/** Without the secrets that show by their shape. */
export function redactMail(raw: Buffer): Buffer {
  if (raw.length > MAX_KEPT || !isUtf8(raw)) return raw;
  const text = raw.toString('utf8');
  const kept = runAtOnce(redactStringSteps(text));
  return kept === text ? raw : Buffer.from(kept);
}

/** The rule for a sender that is refused, or for a recipient of it. */
export function matchOfEnvelope(from: string, to?: string): RuleMatch {
  const match = {
    from: exactPattern(from),
    ...(to === undefined ? {} : { to: exactPattern(to) }),
  };
  return { key: JSON.stringify(match), name: redactText(`refused ${to ?? from}`), match, patterns: [] };
}

/** The rule for a mail: its envelope and what people see of it. */
export function matchOfMail(message: MailMessage): RuleMatch {
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => void patterns.push(`${place}: ${rule}`);
  const { from, recipients = [], subject, contents } = message;
  const { text, html, attachments } = contents.parts;
  const compared = (place: string, value: string): unknown => {
    if (value.length <= MAX_COMPARED) return patternOf(place, '', value, note);
    note(place, 'it is longer than 64 KiB and not compared');
    return { present: true };
  };
  const to = [...new Set(recipients)].toSorted();
  const [only = ''] = to;
  if (attachments.length > 0) note('attachments', 'their contents are not compared');
  const match = {
    from: exactPattern(from),
    to: to.length > 1 ? { any_of: to.map(exactPattern) } : exactPattern(only),
    ...(subject === undefined ? {} : { subject: compared('subject', subject) }),
    ...(text === undefined ? {} : { text: compared('text', text) }),
    ...(html === undefined ? {} : { html: compared('html', html) }),
    ...(attachments.length === 0 || attachments.length > 100
      ? {}
      : {
          attachments: attachments.map(({ filename, content_type: type }) => ({
            filename: exactPattern(filename),
            content_type: exactPattern(type),
          })),
        }),
  };
  return {
    key: JSON.stringify(match),
    name: redactText(`${to.join(' ')} ${subject ?? ''}`),
    match,
    patterns,
  };
}

/**
 * The rule that gives a reply. The number that a server gives to a mail that it takes is another one each time: a template makes it.
 */
export function recordingOf({ key, name, match }: RuleMatch, { code, text }: Reply): RecordedPair {
  const message = redactText(`${code} ${text}`.trim());
  if (code >= 400)
    return {
      ...{ key, name, match },
      answer: { action: code < 500 ? 'defer' : 'reject', message: literal(message) },
    };
  return { key, name, match, answer: { action: 'accept', message: numberless(message) } };
}

/** Whether a reply has the number of a mail in it, which a recording makes anew. */
export function hasNumber({ code, text }: Reply): boolean {
  return code < 400 && isNumbered(text);
}

/** What of a reply is compared: all of it but the number of a mail. */
export function comparedOf({ code, text }: Reply): string {
  const whole = redactText(`${code} ${text}`.trim());
  return code < 400 ? whole.replace(NUMBER, '...') : whole;
}

/** A word that numbers a mail: at least eight letters and digits, with a digit among them, and what joins such. */
const NUMBER = /(?<![\w.@-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{8,}(?![\w.@-])/g;

function isNumbered(text: string): boolean {
  return text.search(NUMBER) >= 0;
}

function numberless(message: string): string {
  return message.split(NUMBER).map(literal).join('{{uuid}}');
}

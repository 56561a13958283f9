import type { CompileTools } from '@backlot/core/plugin';
import type { MessageFields } from './schemas.js';
import { parseDateTime } from './wire/dates.js';
import { BadCommand } from './wire/bad-command.js';

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const MAIL_DATE =
  /^(?:[a-z]{3},\s*)?\d{1,2}\s+[a-z]{3}\s+\d{4}\s+\d\d:\d\d(?::\d\d)?\s+(?:[+-]\d{4}|GMT|UTC?|Z)$/i;

/** The date of a message in a mock. */
export interface CompiledDate {
  /** When it arrived, in ms since 1970; `undefined`: when it is looked at first. */
  readonly time: number | undefined;
  /** What its Date field says, word for word; `undefined`: the time. */
  readonly field: string | undefined;
}

/**
 * Reads the date of a message: RFC 3339, the form of a mail's Date field (RFC 5322), that of INTERNALDATE, or any other
 * text, which is then the Date field alone.
 */
export function compileDate({ date, raw }: MessageFields, at: string, tools: CompileTools): CompiledDate {
  if (date === undefined || date === '') return { time: undefined, field: undefined };
  const place = `${at}/date`;
  if (RFC_3339.test(date)) {
    const time = Date.parse(date.replace(' ', 'T'));
    if (Number.isNaN(time))
      tools.problem(place, `"${date}" is no date of RFC 3339, such as 2024-02-01T12:00:00Z`);
    return { time, field: undefined };
  }
  if (/[\r\n\0]/.test(date)) tools.problem(place, 'a header field cannot hold a line end or NUL');
  const time = MAIL_DATE.test(date) ? Date.parse(date) : dateTimeOf(date);
  if (Number.isNaN(time) && raw !== undefined) {
    tools.problem(
      place,
      `"${date}" is no date such as 2024-02-01T12:00:00Z; beside raw it says when the message arrived`,
    );
  }
  return { time: Number.isNaN(time) ? undefined : time, field: date };
}

function dateTimeOf(text: string): number {
  try {
    return parseDateTime(text);
  } catch (thrown) {
    if (thrown instanceof BadCommand) return Number.NaN;
    throw thrown;
  }
}

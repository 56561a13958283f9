import { invalid, type Context, type Json } from '@backlot/core/plugin';
import { composeMail } from '@backlot/kit';
import { CapturedMail } from './captured-mail.js';
import { DEFAULT_FROM } from './emission.js';
import { MailMessage } from './message.js';
import { isWhole, readMail } from './read-mail.js';
import type { SmtpShape } from './shape.js';

interface Given {
  readonly to: string | readonly string[];
  readonly from?: string;
  readonly subject?: string;
  readonly text?: string;
  readonly raw?: string;
}

/** Takes in a mail. @throws BacklotError `invalid` */
export async function emitMail(context: Context<SmtpShape>, message: Json): Promise<Json> {
  const { to, from = DEFAULT_FROM, subject, text, raw } = message as unknown as Given;
  if (raw !== undefined && (subject ?? text) !== undefined) {
    const problem = 'raw is the whole message: leave out subject and text';
    throw invalid(problem, [{ path: '/raw', message: problem }]);
  }
  const id = context.newId();
  const receivedAt = context.clock.now();
  const receivers = typeof to === 'string' ? [to] : to;
  const bytes =
    raw === undefined
      ? composeMail({
          ...{ from, to: receivers, subject, body: text ?? '', isJson: false },
          // RFC 5322, section 3.3: the zone as an offset.
          date: new Date(receivedAt).toUTCString().replace('GMT', '+0000'),
          messageId: `${id}@backlot`,
        })
      : Buffer.from(raw);
  const envelope = { from: addressOf(from), to: receivers.map(addressOf) };
  const read = await readMail(bytes);
  const whole = isWhole(read) ? read : undefined;
  const mail = new CapturedMail({ id, ...envelope, raw: bytes, receivedAt }, whole);
  // An exchange that never ends has no entry in the journal.
  const exchange = context.receive(new MailMessage(envelope.from, '', envelope.to));
  context.captures.add(mail, mail.bytes, exchange);
  return { id };
}

/** The address in `Ann <ann@example.com>`. */
function addressOf(text: string): string {
  return /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim();
}

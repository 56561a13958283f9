import { writeNullable } from '../wire/encode.js';
import { parseAddresses } from './address.js';
import type { Header } from './header.js';

/** The ENVELOPE of a message (RFC 3501, section 7.4.2). Yields now and then, see `runInSlices`. */
export function* writeEnvelope(header: Header): Generator<undefined, string> {
  const from = writeAddresses(header.all('from').join(', '));
  const text = (name: string): string => writeNullable(header.get(name));
  let people = from;
  for (const name of ['sender', 'reply-to', 'to', 'cc', 'bcc']) {
    yield;
    const field = header.all(name).join(', ');
    // A message without them is from its author, and to be answered there.
    const isAuthors = field === '' && (name === 'sender' || name === 'reply-to');
    people += ` ${isAuthors ? from : writeAddresses(field)}`;
  }
  return `(${text('date')} ${text('subject')} ${people} ${text('in-reply-to')} ${text('message-id')})`;
}

function writeAddresses(field: string): string {
  const addresses = parseAddresses(field);
  if (addresses.length === 0) return 'NIL';
  const written = addresses.map(
    ({ name, mailbox, host }) =>
      `(${writeNullable(name)} NIL ${writeNullable(mailbox)} ${writeNullable(host)})`,
  );
  return `(${written.join('')})`;
}

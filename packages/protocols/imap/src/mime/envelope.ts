import { writeNullable } from '../wire/encode.js';
import { parseAddresses } from './address.js';
import type { Header } from './header.js';

/** The ENVELOPE of a message (RFC 3501, section 7.4.2). */
export function writeEnvelope(header: Header): string {
  const from = header.all('from').join(', ');
  const text = (name: string): string => writeNullable(header.get(name));
  const people = (name: string, instead = ''): string => {
    const field = header.all(name).join(', ');
    return writeAddresses(field === '' ? instead : field);
  };
  return (
    `(${text('date')} ${text('subject')} ${writeAddresses(from)} ${people('sender', from)} ` +
    `${people('reply-to', from)} ${people('to')} ${people('cc')} ${people('bcc')} ` +
    `${text('in-reply-to')} ${text('message-id')})`
  );
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

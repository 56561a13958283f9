import type { RecordData } from '../record-data.js';
import { TYPE } from '../types.js';
import { FieldReader, numberOctets } from './fields.js';

/** A record that is one name: CNAME, NS, PTR (RFC 1035 section 3.3). */
export function parseNameRecord(type: number, source: string, origin?: string): RecordData {
  const fields = new FieldReader(source, 'one name, such as "host.example.com"', origin);
  const name = fields.name();
  fields.end();
  return { type, parts: [{ name }], text: `${absolute(name.text)}` };
}

/** RFC 1035 section 3.3.9. */
export function parseMx(source: string, origin?: string): RecordData {
  const fields = new FieldReader(source, '<preference> <exchange>, such as "10 mail.example.com"', origin);
  const preference = fields.number('the preference', 2);
  const name = fields.name();
  fields.end();
  return {
    type: TYPE.MX,
    parts: [numberOctets(preference, 2), { name }],
    text: `${preference} ${absolute(name.text)}`,
  };
}

/** RFC 2782; the target must not be compressed. */
export function parseSrv(source: string, origin?: string): RecordData {
  const fields = new FieldReader(
    source,
    '<priority> <weight> <port> <target>, such as "10 5 5060 sip.example.com"',
    origin,
  );
  const numbers = [
    fields.number('the priority', 2),
    fields.number('the weight', 2),
    fields.number('the port', 2),
  ];
  const target = fields.name();
  fields.end();
  const octets = Buffer.concat([...numbers.map((number) => numberOctets(number, 2)), target.wire]);
  return { type: TYPE.SRV, parts: [octets], text: `${numbers.join(' ')} ${absolute(target.text)}` };
}

/** RFC 1035 section 3.3.13. A mail address with `@` is taken for the second field too. */
export function parseSoa(source: string, origin?: string): RecordData {
  const form = 'seven fields, such as "ns1.example.com admin.example.com 2024010101 7200 3600 1209600 3600"';
  const fields = new FieldReader(source, form, origin);
  const primary = fields.name();
  const mailbox = fields.name(mailboxName);
  const numbers = [
    fields.number('the serial', 4),
    ...['refresh', 'retry', 'expire', 'minimum'].map((name) => fields.seconds(`the ${name}`)),
  ];
  fields.end();
  const octets = Buffer.concat(numbers.map((number) => numberOctets(number, 4)));
  return {
    type: TYPE.SOA,
    parts: [{ name: primary }, { name: mailbox }, octets],
    text: `${absolute(primary.text)} ${absolute(mailbox.text)} ${numbers.join(' ')}`,
  };
}

/** A name as zone files show it, with its last dot. */
export function absolute(text: string): string {
  return text === '.' ? text : `${text}.`;
}

function mailboxName(text: string): string {
  const at = text.indexOf('@');
  return at <= 0 ? text : `${text.slice(0, at).replaceAll('.', '\\.')}.${text.slice(at + 1)}`;
}

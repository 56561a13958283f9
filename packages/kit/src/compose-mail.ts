const NOT_ASCII = /[^\x20-\x7e]/;
const BREAKS = /[\r\n\0]+/g;
const MAX_WORD = 42;
const ADDRESS = /^\s*(.*?)\s*(<[^<>]*>)\s*$/;

/** The fields of a mail that people spell out. */
export interface Letter {
  readonly from: string | undefined;
  readonly to: readonly string[];
  readonly subject: string | undefined;
  readonly body: string;
  /** Whether the body is JSON, and not text for people. */
  readonly isJson: boolean;
  /** What the Date field says. */
  readonly date: string;
  readonly messageId: string;
}

/** The text with the line ends of mail, CRLF. */
export function withLineEnds(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n');
}

/** Makes a mail (RFC 5322) of its fields. */
export function composeMail({ from, to, subject, body, isJson, date, messageId }: Letter): Buffer {
  const lines = [`Date: ${encodeWords(date)}`, `Message-ID: <${messageId}>`];
  if (from !== undefined) lines.push(`From: ${encodeAddress(from)}`);
  if (to.length > 0) lines.push(`To: ${to.map(encodeAddress).join(', ')}`);
  if (subject !== undefined) lines.push(`Subject: ${encodeWords(subject.replace(BREAKS, ' '))}`);
  lines.push(
    'MIME-Version: 1.0',
    // JSON has no charset: it is UTF-8 (RFC 8259, section 8.1).
    `Content-Type: ${isJson ? 'application/json' : 'text/plain; charset=utf-8'}`,
    `Content-Transfer-Encoding: ${/[^\x00-\x7f]/.test(body) ? '8bit' : '7bit'}`,
  );
  const text = withLineEnds(body.replaceAll('\0', ''));
  const end = text === '' || text.endsWith('\r\n') ? '' : '\r\n';
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}${end}`);
}

function encodeAddress(text: string): string {
  const address = text.replace(BREAKS, ' ');
  if (!NOT_ASCII.test(address)) return address;
  const [, name = '', inAngles = ''] = ADDRESS.exec(address) ?? [];
  if (inAngles === '') return address;
  return `${encodeWords(name.replace(/^"(.*)"$/, '$1'))} ${inAngles}`;
}

/** A text as encoded words (RFC 2047) when it is not ASCII; each word holds whole characters. */
function encodeWords(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > MAX_WORD) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map((each) => `=?utf-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ');
}

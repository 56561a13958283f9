import { invalid, type Exporter, type ExportNotes, type Json } from '@backlot/core/plugin';

/** Characters of a line; longer ones go on in the next (RFC 2849, note 2). */
const WIDTH = 76;
/** Texts that are written as they are: SAFE-STRING of RFC 2849, without a space at the end. */
const SAFE = /^(?![ :<])[\x01-\x09\x0b\x0c\x0e-\x7f]*(?<! )$/;

/** The entries of the directory as LDIF (RFC 2849), each above those below it. */
const ldif: Exporter = {
  format: 'ldif',
  title: 'LDIF',
  contentType: 'text/x-ldif; charset=utf-8',
  extension: '.ldif',
  *write(source, notes) {
    let hasBegun = false;
    for (const entry of source.kind('ldap')?.data('entries') ?? []) {
      notes.written('entries');
      // No version: slapadd takes the line for an entry of its own.
      yield `${hasBegun ? '\n' : ''}${recordOf(entry, notes)}`;
      hasBegun = true;
    }
    if (!hasBegun) throw invalid('there is no entry: LDAP is not enabled, or its directory is empty');
  },
};

function recordOf(entry: Json, notes: ExportNotes): string {
  const { dn, attributes } = entry as {
    readonly dn: string;
    readonly attributes: Readonly<Record<string, readonly unknown[]>>;
  };
  const lines = [lineOf('dn', dn)];
  for (const [name, values] of Object.entries(attributes)) {
    for (const value of values) {
      const base64 = (value as { base64?: unknown } | null)?.base64;
      if (typeof value === 'string') lines.push(lineOf(name, value));
      else if (typeof base64 === 'string') lines.push(fold(`${name}:: ${base64}`));
      else notes.refused(dn, `a value of ${name} is neither a text nor bytes`);
    }
  }
  return lines.join('');
}

function lineOf(name: string, value: string): string {
  if (SAFE.test(value)) return fold(`${name}: ${value}`);
  return fold(`${name}:: ${Buffer.from(value).toString('base64')}`);
}

function fold(line: string): string {
  if (line.length <= WIDTH) return `${line}\n`;
  const pieces = [line.slice(0, WIDTH)];
  for (let at = WIDTH; at < line.length; at += WIDTH - 1) pieces.push(` ${line.slice(at, at + WIDTH - 1)}`);
  return `${pieces.join('\n')}\n`;
}

/** The formats in which the directory is written. */
export const exporters: readonly Exporter[] = [ldif];

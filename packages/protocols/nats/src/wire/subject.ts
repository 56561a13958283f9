import type { WildcardSyntax } from '@backlot/kit/wildcards';

/** Most words of a subject that is subscribed to. */
const MAX_WORDS = 128;

/** The wildcards of subscriptions: `*` is one word, `>` at the end one or more; inside a word both are ordinary. */
export const SUBJECT_SYNTAX: WildcardSyntax = {
  separator: '.',
  one: '*',
  many: '>',
  manyMatchesParent: false,
};

/** Whether a word of it is empty: such a subject reaches nobody. */
export function hasEmptyWord(subject: string): boolean {
  return subject === '' || subject.startsWith('.') || subject.endsWith('.') || subject.includes('..');
}

/**
 * Whether it may be subscribed to (NATS documentation, "Subject-Based Messaging"): no empty word, `>` only as the last
 * one.
 */
export function isSubscribable(subject: string): boolean {
  if (hasEmptyWord(subject)) return false;
  const words = subject.split('.', MAX_WORDS + 1);
  if (words.length > MAX_WORDS) return false;
  const many = words.indexOf('>');
  return many < 0 || many === words.length - 1;
}

/** Whether it names one place: no empty word and no wildcard. */
export function isLiteral(subject: string): boolean {
  return !hasEmptyWord(subject) && subject.split('.').every((word) => word !== '*' && word !== '>');
}

/** Why a text cannot be the subject of a message, or `undefined`. */
export function whyNotPublishable(subject: string): string | undefined {
  if (/[\s\0]/.test(subject)) return 'white space and NUL cannot stand in it';
  if (hasEmptyWord(subject)) return 'no word between its dots may be empty';
  return isLiteral(subject) ? undefined : 'wildcards cannot be published to';
}

// Subjects are bytes on the wire. Inside they are kept with one character per byte, so that each leaves as it came.
const NOT_ASCII = /[^\0-\x7f]/;

/** What people see of a subject on the wire. */
export function fromWire(subject: string): string {
  return NOT_ASCII.test(subject) ? Buffer.from(subject, 'latin1').toString('utf8') : subject;
}

/** A subject as it goes over the wire. */
export function toWire(subject: string): string {
  return NOT_ASCII.test(subject) ? Buffer.from(subject, 'utf8').toString('latin1') : subject;
}

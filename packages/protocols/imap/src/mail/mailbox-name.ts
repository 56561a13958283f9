/** The hierarchy delimiter. */
export const DELIMITER = '/';

const MAX_NAME = 255;

/** A name as it is kept: INBOX, alone or as the first step, in upper case, and no delimiter at the end. */
export function canonicalName(name: string): string {
  const plain = name.length > 1 && name.endsWith(DELIMITER) ? name.slice(0, -1) : name;
  if (!/^inbox(?:\/|$)/i.test(plain)) return plain;
  return `INBOX${plain.slice('INBOX'.length)}`;
}

/** Why a mailbox cannot have this name; `undefined` when it can. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'a mailbox name cannot be empty';
  if (name.length > MAX_NAME) return `a mailbox name has at most ${MAX_NAME} characters, got ${name.length}`;

  if (/[\x00-\x1f\x7f]/.test(name)) return 'a mailbox name cannot hold control characters';
  if (/[*%]/.test(name))
    return `"${name}": * and % stand for names in LIST, so a mailbox name cannot hold them`;
  if (name.startsWith(DELIMITER) || name.includes('//')) {
    return `"${name}": the delimiter "/" stands between two names, as in Archive/2024`;
  }
  return undefined;
}

/** All mailboxes above one: of `a/b/c` they are `a` and `a/b`. */
export function parentsOf(name: string): string[] {
  const parents: string[] = [];
  for (let at = name.indexOf(DELIMITER); at > 0; at = name.indexOf(DELIMITER, at + 1)) {
    parents.push(name.slice(0, at));
  }
  return parents;
}

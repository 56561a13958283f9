/** How an object is written. */
export type CodeFormat = 'json' | 'yaml';

const STORED = 'backlot-format';

/** How mocks were written last. */
export function preferredFormat(): CodeFormat {
  return localStorage.getItem(STORED) === 'yaml' ? 'yaml' : 'json';
}

/** Remembers how mocks are written. */
export function preferFormat(format: CodeFormat): void {
  localStorage.setItem(STORED, format);
}

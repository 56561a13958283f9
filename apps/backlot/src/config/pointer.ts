/** The names in a JSON pointer (RFC 6901). */
export function splitPointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON pointer one level deeper. */
export function pointTo(base: string, name: string | number): string {
  return `${base}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

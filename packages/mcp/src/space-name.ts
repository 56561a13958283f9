const SPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The space that a name means; `undefined` is the server itself, which an empty name means.
 *
 * @throws Error for what no space can be called
 */
export function readSpaceName(name: string): string | undefined {
  if (name === '') return undefined;
  if (SPACE.test(name)) return name;
  throw new Error(
    `space is ${JSON.stringify(name.slice(0, 100))}; it has 1 to 63 lower case letters, digits and hyphens, or is empty for the server itself`,
  );
}

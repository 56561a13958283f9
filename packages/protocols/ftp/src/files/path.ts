/** The directory in which everything is. */
export const ROOT = '/';

/** The names of a path, without `.`, empty ones, and whatever `..` takes back; never above the root. */
export function splitNames(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

/** The path that a client means while it is in a directory, from the root. */
export function resolvePath(directory: string, argument: string): string {
  return joinNames(splitNames(argument.startsWith('/') ? argument : `${directory}/${argument}`));
}

/** The path with these names. */
export function joinNames(names: readonly string[]): string {
  return `/${names.join('/')}`;
}

/** The directory that a path is in; that of the root is the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || ROOT;
}

/** The last name of a path; empty for the root. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a path is below a directory. */
export function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory === ROOT ? ROOT : `${directory}/`);
}

import { textOf, type Tree } from '@backlot/contracts';
import { parameterName } from '../openapi/paths.js';

/** The path of a route as a pattern of a mock; `undefined` when it is an expression that none can be. */
export function endpointPath(environment: Tree, route: Tree): string | undefined {
  const prefix = textOf(environment['endpointPrefix']) ?? '';
  const endpoint = textOf(route['endpoint']) ?? '';
  const parts = `${prefix}/${endpoint}`.split('/').filter((part) => part !== '');
  const names = new Set<string>();
  const pattern: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part === '*' && index === parts.length - 1) {
      pattern.push('*');
    } else if (/^:[A-Za-z_]\w*$/.test(part)) {
      const name = parameterName(part.slice(1));
      if (names.has(name)) return undefined;
      names.add(name);
      pattern.push(`{${name}}`);
    } else if (/[:*?()[\]{}+\s]/.test(part)) {
      return undefined;
    } else {
      pattern.push(part);
    }
  }
  return `/${pattern.join('/')}`;
}
